#include "report/listing_table.hpp"

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "report/text_table.hpp"

namespace vcgpu {

namespace {

constexpr auto right = TextColumn::Align::right;
constexpr auto left = TextColumn::Align::left;

// How a value of a row reads; by default as it is, "-" where it is not known.
using CellText = std::string (*)(const Json& value, const Json& row, const ListingTable& table);

std::string text_of(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_number()) return number_text(value.get<double>());
  if (!value.is_array()) return value.get<std::string>();
  std::vector<std::string> parts;
  for (const Json& part : value) parts.push_back(part.get<std::string>());
  return joined(parts);
}

std::string plain_text(const Json& value, const Json&, const ListingTable&) {
  return text_of(value);
}

// One decimal, so that the points stand under each other.
std::string decimal_text(const Json& value, const Json&, const ListingTable&) {
  return value.is_null() ? "-" : fmt::format("{:.1f}", value.get<double>());
}

std::string seconds_text(const Json& value, const Json&, const ListingTable&) {
  return value.is_null() ? "-" : duration_text(Seconds(value.get<double>()));
}

std::string price_text(const Json& value, const Json&, const ListingTable&) {
  return value.is_null() ? "-" : rate_text(UsdPerHour(value.get<double>()));
}

std::string min_price_text(const Json& value, const Json& row, const ListingTable& table) {
  if (value.is_null()) return "- ";
  const bool old = row.at("min_age_days").get<int>() > table.old_after_days;
  return price_text(value, row, table) + (old ? "*" : " ");
}

std::string age_text(const Json& value, const Json&, const ListingTable& table) {
  const int days = value.get<int>();
  return fmt::format("{}d{}", days, days > table.old_after_days ? "*" : " ");
}

std::string counted_gpu_text(const Json& value, const Json& row, const ListingTable&) {
  return counted_gpu(row.at("gpu_count").get<double>(), text_of(value));
}

// The first, where there are many.
std::string region_text(const Json& value, const Json&, const ListingTable&) {
  if (value.empty()) return "-";
  const std::string first = text_of(value.front());
  return value.size() == 1 ? first : fmt::format("{} +{}", first, value.size() - 1);
}

// A column of a table of rows (src/report/listing.hpp).
struct ListColumn {
  const char* title = "";
  const char* pointer = "";  // JSON pointer into the row
  TextColumn::Align align = left;
  int expendable = 0;
  bool elastic = false;
  bool wide_only = false;
  CellText text = plain_text;
};

std::string table_of(const std::vector<ListColumn>& columns, const std::vector<const Json*>& rows,
                     const ListingTable& table, const Style& style) {
  const bool wide = table.width == ListingTable::Width::wide;
  std::vector<TextColumn> shown;
  TextRows cells(rows.size());
  for (const ListColumn& column : columns) {
    if (column.wide_only && !wide) continue;
    shown.push_back({column.title, column.align, column.expendable, column.elastic});
    const Json::json_pointer pointer(column.pointer);
    for (std::size_t i = 0; i < rows.size(); ++i)
      cells[i].push_back(column.text(rows[i]->at(pointer), *rows[i], table));
  }
  return text_table(shown, std::move(cells), {wide ? 0 : style.columns(), ""}, style);
}

std::vector<const Json*> rows_of(const Listing& listing) {
  std::vector<const Json*> rows;
  for (const Json& row : listing.results) rows.push_back(&row);
  return rows;
}

// How many there are (`entries` is the word for one), what was left out by which flag, and where
// from.
std::string foot(const ListingTable& table, const std::string& entries, const std::string& legend,
                 const Style& style) {
  const Listing& listing = *table.listing;
  std::string text = listing.total == 0 ? fmt::format("No {} left", entries)
                                        : fmt::format("{} {}{}", listing.total, entries,
                                                      listing.total == 1 ? "" : "s");
  if (listing.results.size() < listing.total)
    text = fmt::format("{} of {}; --limit 0 for all", listing.results.size(), text);
  std::vector<std::string> filters;
  for (const auto& [filter, count] : listing.refused)
    filters.push_back(fmt::format("{} by --{}", count, filter));
  if (!filters.empty()) text += "; left out: " + joined(filters);
  text += fmt::format(". Catalog: {}, {}.", printable(table.catalog->origin, 200),
                      table.catalog->as_of);
  std::string out = listing.results.empty() ? "" : "\n";
  out += wrapped_behind("", text, style.columns());
  if (!listing.results.empty()) out += wrapped_behind("", legend, style.columns());
  return out;
}

const std::vector<ListColumn>& offer_columns() {
  static const std::vector<ListColumn> columns{
      {.title = "gpu", .pointer = "/gpu", .elastic = true, .text = counted_gpu_text},
      {.title = "provider", .pointer = "/provider"},
      {.title = "pricing", .pointer = "/pricing"},
      {.title = "tier", .pointer = "/tier", .expendable = 2},
      {.title = "$/h", .pointer = "/usd_per_hour", .align = right, .text = price_text},
      {.title = "$/GPU-h",
       .pointer = "/usd_per_gpu_hour",
       .align = right,
       .expendable = 1,
       .text = price_text},
      {.title = "age ", .pointer = "/age_days", .align = right, .text = age_text},
      {.title = "region", .pointer = "/regions", .expendable = 3, .text = region_text},
      {.title = "sku", .pointer = "/sku", .wide_only = true},
      {.title = "link", .pointer = "/interconnect", .wide_only = true},
      {.title = "vCPU", .pointer = "/vcpus", .align = right, .wide_only = true},
      {.title = "RAM GiB", .pointer = "/ram_gib", .align = right, .wide_only = true},
      {.title = "as of", .pointer = "/as_of", .wide_only = true},
      {.title = "source", .pointer = "/source", .wide_only = true}};
  return columns;
}

const std::vector<ListColumn>& market_columns() {
  static const std::vector<ListColumn> columns{
      {.title = "gpu", .pointer = "/gpu", .elastic = true, .text = counted_gpu_text},
      {.title = "provider", .pointer = "/provider"},
      {.title = "statistic", .pointer = "/statistic"},
      {.title = "pricing", .pointer = "/pricing", .expendable = 1},
      {.title = "$/h", .pointer = "/usd_per_hour", .align = right, .text = price_text},
      {.title = "age ", .pointer = "/age_days", .align = right, .text = age_text},
      {.title = "region", .pointer = "/regions", .expendable = 2, .text = region_text},
      {.title = "as of", .pointer = "/as_of", .wide_only = true},
      {.title = "source", .pointer = "/source", .wide_only = true}};
  return columns;
}

const std::vector<ListColumn>& gpu_columns() {
  static const std::vector<ListColumn> columns{
      {.title = "id", .pointer = "/id", .elastic = true},
      {.title = "name", .pointer = "/name", .wide_only = true},
      {.title = "architecture", .pointer = "/architecture", .expendable = 4},
      {.title = "cc", .pointer = "/compute_capability", .align = right, .expendable = 2},
      {.title = "form", .pointer = "/form", .wide_only = true},
      {.title = "GB", .pointer = "/memory_gb", .align = right},
      {.title = "usable", .pointer = "/usable_gib", .align = right, .text = decimal_text},
      {.title = "GB/s", .pointer = "/bandwidth_gb_s", .align = right},
      {.title = "fp32",
       .pointer = "/fp32_tflops",
       .align = right,
       .wide_only = true,
       .text = decimal_text},
      {.title = "tf32",
       .pointer = "/tf32_tflops",
       .align = right,
       .expendable = 3,
       .text = decimal_text},
      {.title = "fp16", .pointer = "/fp16_tflops", .align = right, .text = decimal_text},
      {.title = "bf16",
       .pointer = "/bf16_tflops",
       .align = right,
       .wide_only = true,
       .text = decimal_text},
      {.title = "NVLink", .pointer = "/nvlink_gb_s", .align = right, .wide_only = true},
      {.title = "offers", .pointer = "/offers", .align = right, .expendable = 1},
      {.title = "$/h ", .pointer = "/min_usd_per_gpu_hour", .align = right, .text = min_price_text},
      {.title = "at", .pointer = "/min_provider", .wide_only = true},
      {.title = "as of", .pointer = "/min_as_of", .wide_only = true}};
  return columns;
}

std::string basis_text(const Json& value, const Json&, const ListingTable&) {
  return text_of(value.at("training")) + "/" + text_of(value.at("inference"));
}

std::string model_text(const Json& value, const Json& row, const ListingTable&) {
  return text_of(row.at("id")) + "@" + text_of(value);
}

std::string tasks_text(const Json& value, const Json&, const ListingTable&) {
  std::vector<std::string> tasks;
  for (const Json& task : value) tasks.push_back(text_of(task));
  return joined(tasks, " ");
}

const std::vector<ListColumn>& model_columns() {
  static const std::vector<ListColumn> columns{
      {.title = "model@default", .pointer = "/default_variant", .text = model_text},
      {.title = "tasks", .pointer = "/tasks", .text = tasks_text},
      {.title = "commercial", .pointer = "/licence/commercial"},
      {.title = "memory", .pointer = "/basis/memory", .expendable = 1, .text = basis_text},
      {.title = "speed", .pointer = "/basis/speed", .wide_only = true, .text = basis_text},
      {.title = "variants", .pointer = "/variants", .wide_only = true}};
  return columns;
}

const std::vector<ListColumn>& provider_columns() {
  static const std::vector<ListColumn> columns{
      {.title = "id", .pointer = "/id", .elastic = true},
      {.title = "name", .pointer = "/name", .wide_only = true},
      {.title = "kind", .pointer = "/kind", .expendable = 1},
      {.title = "offers", .pointer = "/offers", .align = right},
      {.title = "GPUs", .pointer = "/gpus", .align = right, .expendable = 2},
      {.title = "min", .pointer = "/minimum_charge_s", .align = right, .text = seconds_text},
      {.title = "step", .pointer = "/billing_granularity_s", .align = right, .text = seconds_text},
      {.title = "disk", .pointer = "/storage/usd_per_gb_month", .align = right},
      {.title = "egress", .pointer = "/egress_usd_per_gb", .align = right},
      {.title = "reliable", .pointer = "/reliability", .align = right},
      {.title = "ease", .pointer = "/ease", .align = right},
      {.title = "as of", .pointer = "/as_of", .wide_only = true}};
  return columns;
}

std::string simple_table(const std::vector<ListColumn>& columns, const ListingTable& table,
                         const std::string& entries, const std::string& legend,
                         const Style& style) {
  const std::string rows = table.listing->results.empty()
                               ? ""
                               : table_of(columns, rows_of(*table.listing), table, style);
  return rows + foot(table, entries, legend, style);
}

// Rows have an id, and the keys that their columns begin with.
RecordShape shape_of(std::vector<std::string> columns) {
  RecordShape shape;
  for (const std::string& column : columns) {
    const std::string key = column.substr(0, column.find('.'));
    if (shape.keys.empty() || shape.keys.back() != key) shape.keys.push_back(key);
  }
  shape.columns = std::move(columns);
  shape.name_columns = {"id"};
  return shape;
}

}  // namespace

std::string gpus_table(const ListingTable& table, const Style& style) {
  return simple_table(gpu_columns(), table, "GPU",
                      fmt::format("cc: compute capability. usable: GiB that a program can "
                                  "allocate. tf32, fp16: dense TFLOP/s. $/h: cheapest on-demand "
                                  "price of one GPU, * older than {} days. More: -o wide, vcgpu "
                                  "gpus show ID.",
                                  table.old_after_days),
                      style);
}

std::string providers_table(const ListingTable& table, const Style& style) {
  return simple_table(provider_columns(), table, "provider",
                      "min: least that is charged. step: granularity of billing. disk: USD per "
                      "GB-month. egress: USD per GB. reliable, ease: 1 to 5. -: not known. More: "
                      "vcgpu providers show ID.",
                      style);
}

std::string models_table(const ListingTable& table, const Style& style) {
  const Json& results = table.listing->results;
  std::string out;
  if (!results.empty()) {
    // The summary stands below its row: the table is made first, then opened up.
    const std::vector<std::string> lines =
        split(table_of(model_columns(), rows_of(*table.listing), table, style), '\n');
    out = lines.front() + "\n";
    for (std::size_t i = 0; i < results.size(); ++i)
      out += lines[i + 1] + "\n" +
             wrapped_behind("    ", printable(text_of(results[i].at("summary")), 1000),
                            style.columns());
  }
  return out +
         foot(table, "model",
              "memory: what estimates of the default variant rest on in training/inference, at the "
              "least known settings. More: vcgpu models show ID.",
              style);
}

std::string offers_table(const ListingTable& table, const Style& style) {
  std::vector<const Json*> rentable;
  std::vector<const Json*> statistics;
  for (const Json& row : table.listing->results)
    (row.at("kind") == "offer" ? rentable : statistics).push_back(&row);
  std::string out;
  if (!rentable.empty()) out = table_of(offer_columns(), rentable, table, style);
  if (!statistics.empty()) {
    out += rentable.empty() ? "" : "\n";
    out += wrapped_behind("", "Market statistics: prices that were seen, nothing to rent.",
                          style.columns());
    out += table_of(market_columns(), statistics, table, style);
  }
  const std::string entries = statistics.empty() ? "offer"
                              : rentable.empty() ? "market statistic"
                                                 : "offers and market statistic";
  return out + foot(table, entries,
                    fmt::format("$/h: the whole instance. age: of the price, * older than {} "
                                "days. More: -o wide, vcgpu offers show PROVIDER/SKU.",
                                table.old_after_days),
                    style);
}

RecordShape gpus_shape() {
  return shape_of({"id",
                   "name",
                   "vendor",
                   "architecture",
                   "compute_capability",
                   "form",
                   "memory_gb",
                   "usable_gib",
                   "bandwidth_gb_s",
                   "fp32_tflops",
                   "tf32_tflops",
                   "fp16_tflops",
                   "bf16_tflops",
                   "nvlink_gb_s",
                   "offers",
                   "providers",
                   "min_usd_per_gpu_hour",
                   "min_provider",
                   "min_as_of",
                   "min_age_days"});
}

RecordShape models_shape() {
  return shape_of({"id", "name", "family", "default_variant", "variants", "tasks",
                   "licence.commercial", "basis.memory.training", "basis.memory.inference",
                   "basis.speed.training", "basis.speed.inference", "summary", "as_of"});
}

RecordShape providers_shape() {
  return shape_of({"id", "name", "kind", "offers", "gpus", "minimum_charge_s",
                   "billing_granularity_s", "storage.usd_per_gb_month", "egress_usd_per_gb",
                   "reliability", "ease", "as_of"});
}

RecordShape offers_shape() {
  return shape_of({"kind", "id", "provider", "sku", "statistic", "gpu", "gpu_count", "usd_per_hour",
                   "usd_per_gpu_hour", "pricing", "tier", "regions", "interconnect", "vcpus",
                   "ram_gib", "as_of", "age_days", "source"});
}

}  // namespace vcgpu

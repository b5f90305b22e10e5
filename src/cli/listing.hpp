// What gpus, models, providers and offers share: `list` and `show`.
//
// `vcgpu gpus` is `vcgpu gpus list`, with the same flags, and `vcgpu gpus 4090`
// is `vcgpu gpus show 4090`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "report/card.hpp"
#include "report/listing.hpp"
#include "report/listing_table.hpp"

namespace vcgpu::cli {

// As typed.
struct ListingFlags {
  CommonFlags common;
  std::vector<std::string> ids;
};

// One of list and show, as --help tells it.
struct ListingHelp {
  std::string summary;
  std::vector<std::string> examples;
  std::string json_fields;
};

struct ListingCommand {
  std::string name;  // "gpus"
  std::string id;    // what show takes, as --help names it: "GPU"
  std::string summary;
  ListingHelp list, show;
  std::function<void(CLI::App&)> add_filters;
  Action run_list, run_show;
};

// `flags` outlives the parse: it belongs to the command's actions.
void add_listing(CLI::App& app, Action& action, const ListingCommand& command, ListingFlags& flags);

using TableText = std::string (*)(const ListingTable& table, const Style& style);

// Writes rows in the format asked for; nothing_fits where there are none.
ExitCode write_list(Listing listing, const Catalog& catalog, const CommonOptions& options,
                    const RecordShape& shape, TableText table);

// Writes complete entries in the format asked for; `cards` are the same for
// people.
ExitCode write_show(Listing listing, const Catalog& catalog, const CommonOptions& options,
                    const std::string& cards);

CardContext card_context(const Catalog& catalog, const CommonOptions& options);

// table and wide.
bool for_people(const CommonOptions& options);

}  // namespace vcgpu::cli

#include "cli/answer_output.hpp"

#include "host/output.hpp"
#include "report/table.hpp"

namespace vcgpu::cli {

namespace {

RecordShape shape_of(const std::string& command) {
  RecordShape shape;
  shape.columns = {"rank", "gpu.id", "gpu.count"};
  if (command == "recommend")
    shape.columns.insert(shape.columns.end(),
                         {"offer.provider", "offer.instance", "offer.region", "offer.pricing",
                          "offer.tier", "offer.usd_per_hour", "offer.as_of", "offer.age_days"});
  shape.columns.insert(
      shape.columns.end(),
      {"plan.precision", "plan.batch_size", "plan.batch_unit", "plan.grad_accum", "verdict",
       "oom_probability", "memory.peak_gib.expected", "gpu.usable_vram_gib", "duration.hours.low",
       "duration.hours.expected", "duration.hours.high"});
  if (command == "recommend")
    shape.columns.insert(shape.columns.end(),
                         {"cost.total_usd.low", "cost.total_usd.expected", "cost.total_usd.high"});
  shape.name_columns =
      command == "recommend"
          ? std::vector<std::string>{"gpu.id", "gpu.count", "offer.provider", "offer.instance"}
          : std::vector<std::string>{"gpu.id"};
  shape.keys = {"rank",      "score",   "score_shares",    "gpu",         "offer",
                "plan",      "verdict", "oom_probability", "memory",      "duration",
                "inference", "cost",    "pareto",          "nearest_fix", "reasons"};
  return shape;
}

}  // namespace

void write_answer(const Answer& answer, const CommonOptions& options) {
  if (options.format == Format::table)
    return write_result(answer_table(answer, options.style), options.out_file);
  if (options.format == Format::wide)
    return write_result(answer_wide(answer, options.style), options.out_file);
  write_result(render_records(answer_document(answer), options.format, options.fields,
                              shape_of(answer.command)),
               options.out_file);
}

}  // namespace vcgpu::cli

#include "cli/workload_flags.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "catalog/json_source.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu::cli {

namespace {

constexpr std::size_t max_workload_bytes = 1'000'000;

// Ranges that no real job leaves. They keep every later computation finite.
constexpr Bounds dataset_s{1, 3.6e8};  // to 100,000 hours
constexpr Bounds clip_s{0.1, 3600};
constexpr Bounds count{1, 1e6};
constexpr Bounds batch{1, 1e6};

template <class T>
Asked<T> asked(T value, Origin origin) {
  return Setting<T>{std::move(value), origin};
}

int parse_lora(std::string_view text) {
  if (text == "off") return 0;
  return static_cast<int>(parse_integer(text, "--lora", {1, 4096}));
}

bool parse_switch(std::string_view text, std::string_view what) {
  return parse_choice<bool>(text, what, {{"on", true}, {"off", false}});
}

constexpr unsigned bit(Task task) { return 1U << static_cast<unsigned>(task); }
constexpr unsigned training = bit(Task::train) | bit(Task::finetune);
constexpr unsigned serving = bit(Task::realtime);
constexpr unsigned bulk = bit(Task::batch);
constexpr unsigned inference = serving | bulk;
constexpr unsigned every_task = training | inference;

// A setting's name, what --help says, and how its text is understood. "auto"
// leaves a lever to the planner.
struct SettingRule {
  const char* name;
  const char* group;
  const char* help;
  bool takes_auto;
  unsigned tasks;  // that it means something for
  void (*set)(WorkloadRequest& request, std::string_view text, Origin origin);
};

const std::vector<SettingRule>& rules() {
  using R = WorkloadRequest;
  using S = std::string_view;
  static const std::vector<SettingRule> list{
      {"task", "Workload", "train, finetune, realtime or batch", false, every_task,
       [](R& r, S t, Origin o) {
         r.task = {parse_task(t), o};
       }},
      {"model", "Workload", "MODEL or MODEL@VARIANT; see: vcgpu models list", false, every_task,
       [](R& r, S t, Origin o) {
         r.model = {std::string(t), o};
       }},
      {"stage", "Workload", "one stage of the pipeline (all)", false, training,
       [](R& r, S t, Origin o) { r.stage = asked(std::string(t), o); }},
      {"dataset", "Workload", "audio to train on: 90s, 40m, 10h, 1h30m", false, training,
       [](R& r, S t, Origin o) {
         r.dataset = asked(parse_duration(t, "--dataset", dataset_s), o);
       }},
      {"speakers", "Workload", "speakers in the data set", false, training,
       [](R& r, S t, Origin o) {
         r.speakers = asked(static_cast<int>(parse_integer(t, "--speakers", count)), o);
       }},
      {"epochs", "Workload", "passes over the data set", false, training,
       [](R& r, S t, Origin o) {
         r.epochs = asked(parse_number(t, "--epochs", {0.01, 1e6}), o);
       }},
      {"steps", "Workload", "optimizer steps, instead of epochs", false, training,
       [](R& r, S t, Origin o) {
         r.steps = asked(static_cast<std::int64_t>(parse_integer(t, "--steps", {1, 1e9})), o);
       }},
      {"max-clip", "Workload", "longest training clip: decides memory", false, training,
       [](R& r, S t, Origin o) { r.max_clip = asked(parse_duration(t, "--max-clip", clip_s), o); }},
      {"mean-clip", "Workload", "mean training clip: decides time", false, training,
       [](R& r, S t, Origin o) {
         r.mean_clip = asked(parse_duration(t, "--mean-clip", clip_s), o);
       }},
      {"max-text", "Workload", "longest text of a clip, in the model's tokens", false, every_task,
       [](R& r, S t, Origin o) {
         r.max_text = asked(parse_number(t, "--max-text", {1, 1e6}), o);
       }},
      {"batch-size", "Settings", "per GPU, in the model's unit, or auto", true, training,
       [](R& r, S t, Origin o) {
         r.batch_size = asked(static_cast<double>(parse_integer(t, "--batch-size", batch)), o);
       }},
      {"grad-accum", "Settings", "passes per optimizer step, or auto", true, training,
       [](R& r, S t, Origin o) {
         r.grad_accum = asked(static_cast<int>(parse_integer(t, "--grad-accum", {1, 1e5})), o);
       }},
      {"precision", "Settings", "fp32, tf32, fp16, bf16, int8, int4 or auto", true, every_task,
       [](R& r, S t, Origin o) {
         r.precision = asked(parse_choice(t, "--precision", precision_names()), o);
       }},
      {"grad-checkpoint", "Settings", "on, off or auto", true, training,
       [](R& r, S t, Origin o) {
         r.checkpointing = asked(parse_switch(t, "--grad-checkpoint"), o);
       }},
      {"lora", "Settings", "rank, off or auto", true, training,
       [](R& r, S t, Origin o) { r.lora_rank = asked(parse_lora(t), o); }},
      {"optimizer", "Settings", "adamw, adamw-8bit, sgd or auto", true, training,
       [](R& r, S t, Origin o) { r.optimizer = asked(std::string(t), o); }},
      {"segment-samples", "Settings", "crop that decoder and discriminators train on", false,
       training,
       [](R& r, S t, Origin o) {
         r.segment_samples =
             asked(static_cast<double>(parse_integer(t, "--segment-samples", {100, 1e8})), o);
       }},
      {"attention", "Settings", "eager, sdpa or auto", true, training,
       [](R& r, S t, Origin o) {
         r.attention = asked(parse_choice(t, "--attention", attention_names()), o);
       }},
      {"ema", "Settings", "averaged copy of the weights: on, off or auto", true, training,
       [](R& r, S t, Origin o) { r.ema = asked(parse_switch(t, "--ema"), o); }},
      {"sharding", "Settings", "none, zero2, zero3 (FSDP) or auto", true, training,
       [](R& r, S t, Origin o) {
         r.sharding =
             asked(parse_choice(t == "fsdp" ? "zero3" : t, "--sharding", sharding_names()), o);
       }},
      {"volume", "Inference", "audio to make: 900h", false, bulk,
       [](R& r, S t, Origin o) { r.volume = asked(parse_duration(t, "--volume", dataset_s), o); }},
      {"output-length", "Inference", "audio per request: 10s", false, inference,
       [](R& r, S t, Origin o) {
         r.output = asked(parse_duration(t, "--output-length", clip_s), o);
       }},
      {"streams", "Inference", "voices that may speak at once", false, serving,
       [](R& r, S t, Origin o) {
         r.streams = asked(static_cast<int>(parse_integer(t, "--streams", {1, 1e6})), o);
       }},
      {"duty", "Inference", "share of time that a stream speaks: 0.4", false, serving,
       [](R& r, S t, Origin o) {
         r.duty = asked(parse_share(t, "--duty", {0.001, 1}), o);
       }},
      {"latency", "Inference", "limit to the first audio: 300ms", false, serving,
       [](R& r, S t, Origin o) {
         r.latency = asked(parse_duration(t, "--latency", {0.001, 600}), o);
       }},
      {"max-rtf", "Inference", "real-time factor to stay below (0.8)", false, serving,
       [](R& r, S t, Origin o) {
         r.max_rtf = asked(parse_number(t, "--max-rtf", {0.001, 100}), o);
       }},
      {"hours-per-day", "Inference", "hours a day that it runs (24)", false, serving,
       [](R& r, S t, Origin o) {
         r.hours_per_day = asked(parse_number(t, "--hours-per-day", {0.01, 24}), o);
       }},
      {"runtime", "Inference", "pytorch, compile, onnx, tensorrt, vllm or deepspeed", false,
       inference, [](R& r, S t, Origin o) { r.runtime = asked(std::string(t), o); }},
      {"offload", "Inference", "keep waiting parts in host memory: on, off or auto", true,
       inference, [](R& r, S t, Origin o) { r.offload = asked(parse_switch(t, "--offload"), o); }},
      {"reference", "Inference", "clip that a zero-shot model imitates: 10s", false, inference,
       [](R& r, S t, Origin o) {
         r.reference = asked(parse_duration(t, "--reference", clip_s), o);
       }},
      {"context", "Inference", "tokens that a static cache is configured for", false, inference,
       [](R& r, S t, Origin o) {
         r.context = asked(static_cast<double>(parse_integer(t, "--context", {1, 1e7})), o);
       }},
      {"headroom", "Safety", "share of memory to leave free (5%)", false, every_task,
       [](R& r, S t, Origin o) {
         r.headroom = {parse_share(t, "--headroom", {0, 0.9}), o};
       }},
      {"os", "Safety", "linux, or windows with its desktop (linux)", false, every_task,
       [](R& r, S t, Origin o) {
         r.os = {parse_choice<HostOs>(t, "--os",
                                      {{"linux", HostOs::linux}, {"windows", HostOs::windows}}),
                 o};
       }},
      {"reserve", "Safety", "memory that a desktop or another process holds: 1GB (0)", false,
       every_task,
       [](R& r, S t, Origin o) {
         r.reserve = {parse_size(t, "--reserve", {0, 1e13}), o};
       }},
  };
  return list;
}

void apply(WorkloadRequest& request, const SettingRule& rule, std::string_view text,
           Origin origin) {
  if (trimmed(text).empty())
    throw Error(ExitCode::usage, "bad-value", fmt::format("--{}: empty", rule.name), rule.help);
  if (rule.takes_auto && text == "auto") return;
  rule.set(request, text, origin);
}

const SettingRule* find_rule(std::string_view name) {
  for (const SettingRule& rule : rules()) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::string value_text(const JsonNode& node) {
  if (node.value().is_string()) return node.as_text();
  if (node.value().is_boolean()) return node.value().get<bool>() ? "on" : "off";
  if (node.value().is_number()) return number_text(node.as_number(-1e15, 1e15));
  node.fail("must be a text, a number or true or false", "as the flag of the same name");
}

// Keys are the flags' names, with - or _: {"task": "finetune", "max_clip": "8s"}.
void apply_file(WorkloadRequest& request, const std::string& path,
                std::vector<const SettingRule*>& given) {
  const auto source = std::make_shared<const JsonText>(
      JsonText{path == "-" ? "standard input" : path, read_file(path, max_workload_bytes)});
  const Json document = parse_source(*source, ExitCode::usage);
  const JsonNode root(document, source, "", ExitCode::usage);
  for (const auto& [key, node] : root.members()) {
    std::string name = key;
    for (char& c : name) c = c == '_' ? '-' : c;
    if (name == "commercial") {
      if (!node.value().is_boolean()) node.fail("must be true or false");
      request.commercial = {node.value().get<bool>(), Origin::workload};
      continue;
    }
    const SettingRule* rule = find_rule(name);
    if (rule == nullptr) {
      std::vector<std::string> known{"commercial"};
      for (const SettingRule& other : rules()) known.emplace_back(other.name);
      node.fail("unknown setting", did_you_mean(name, known, "settings: " + joined(known)));
    }
    try {
      apply(request, *rule, value_text(node), Origin::workload);
      given.push_back(rule);
    } catch (const Error& error) {
      if (error.code() == "bad-input") throw;
      node.fail(error.what(), error.hint());
    }
  }
}

}  // namespace

Task parse_task(std::string_view text) {
  static const Names<Task> names{{"train", Task::train},        {"finetune", Task::finetune},
                                 {"realtime", Task::realtime},  {"batch", Task::batch},
                                 {"training", Task::train},     {"fine-tune", Task::finetune},
                                 {"real-time", Task::realtime}, {"inference", Task::batch}};
  return parse_choice(text, "--task", names);
}

void add_workload_flags(CLI::App& command, WorkloadFlags& flags) {
  for (const SettingRule& rule : rules())
    add_value(command, fmt::format("--{}", rule.name), flags.values[rule.name], rule.help)
        ->group(rule.group);
  command
      .add_flag("--commercial", flags.commercial, "only models whose licence allows commercial use")
      ->group("Safety");
  add_value(command, "--workload", flags.file,
            "all of this as JSON from a file, - for standard input; flags override it")
      ->group("Workload");
}

WorkloadRequest read(const WorkloadFlags& flags) {
  WorkloadRequest request;
  std::vector<const SettingRule*> given;
  bool has_task = false;
  if (flags.file && flags.file->empty())
    throw Error(ExitCode::usage, "bad-value", "--workload: empty", "a path, or -");
  if (flags.file) {
    request.task.origin = Origin::automatic;
    apply_file(request, *flags.file, given);
    has_task = request.task.origin == Origin::workload;
  }
  for (const SettingRule& rule : rules()) {
    const auto found = flags.values.find(rule.name);
    if (found == flags.values.end() || !found->second) continue;
    apply(request, rule, *found->second, Origin::flag);
    given.push_back(&rule);
    has_task = has_task || std::string_view(rule.name) == "task";
  }
  if (flags.commercial) request.commercial = {true, Origin::flag};
  if (!has_task)
    throw Error(ExitCode::usage, "missing-flag", "--task is missing",
                "train, finetune, realtime or batch");
  if (request.model.value.empty())
    throw Error(ExitCode::usage, "missing-flag", "--model is missing", "see: vcgpu models list");
  for (const SettingRule* rule : given) {
    if ((rule->tasks & bit(request.task.value)) != 0) continue;
    throw Error(
        ExitCode::usage, "bad-value",
        fmt::format("--{} means nothing for --task {}", rule->name, name_of(request.task.value)),
        "leave it out");
  }
  if (request.epochs && request.steps) {
    if (request.epochs->origin == request.steps->origin)
      throw Error(ExitCode::usage, "bad-value", "--epochs and --steps exclude each other",
                  "give one of them");
    if (request.epochs->origin == Origin::flag)
      request.steps.reset();
    else
      request.epochs.reset();
  }
  if (request.mean_clip && request.max_clip && request.mean_clip->value > request.max_clip->value)
    throw Error(ExitCode::usage, "bad-value", "--mean-clip is longer than --max-clip",
                "the mean is at most the longest");
  return request;
}

}  // namespace vcgpu::cli

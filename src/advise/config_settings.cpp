#include "advise/config_settings.hpp"

#include <cmath>

#include "base/numbers.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

constexpr const char* own_spelling = "in the project's own spelling";

// Older entries are a text alone: a key, perhaps with a remark in brackets, or
// a remark where there is no key to set ("none: ...").
struct KnownKey {
  std::string key, remark;
};

KnownKey taken_apart(const ConfigKey& key) {
  const std::size_t bracket = key.key.find(" (");
  std::string name = key.key.substr(0, bracket);
  if (name.find(' ') != std::string::npos) return {"", key.key};
  if (bracket == std::string::npos || !key.key.ends_with(')')) return {name, key.note};
  return {name, key.key.substr(bracket + 2, key.key.size() - bracket - 3)};
}

class Settings {
 public:
  explicit Settings(const Stage& stage) : m_stage(stage) {}

  // A word: what the project writes for ours, else ours. Without a key it is
  // named only where it `differs` from the recipe.
  void word(const char* setting, std::string_view ours, bool differs) {
    const ConfigKey* key = find(setting);
    if (key == nullptr) return add(setting, key, std::string(ours), differs);
    if (const auto found = key->values.find(std::string(ours)); found != key->values.end())
      return add(setting, key, found->second, differs);
    if (ours == "on" || ours == "off")
      return add(setting, key, ours == "on" ? "true" : "false", differs);
    add(setting, key, std::string(ours), differs, own_spelling);
  }

  void number(const char* setting, double value, bool differs) {
    add(setting, find(setting), number_text(value), differs);
  }

  void length(const char* setting, Seconds clip, bool differs) {
    const ConfigKey* key = find(setting);
    if (key == nullptr || key->unit == ConfigUnit::plain)
      return add(setting, key, duration_text(clip), differs, "in the project's own unit");
    add(setting, key, number_text(std::floor(clip.count() * key->per_second.value_or(1))), differs);
  }

  [[nodiscard]] bool has_unit(const char* setting, ConfigUnit unit) const {
    const ConfigKey* key = find(setting);
    return key != nullptr && key->unit == unit;
  }
  [[nodiscard]] std::vector<ConfigSetting> take() { return std::move(m_list); }

 private:
  [[nodiscard]] const ConfigKey* find(const std::string& setting) const {
    // Older entries name the unit (max_clip_s), or the method (lora).
    for (const std::string& name :
         {setting, setting + "_s", setting == "lora_rank" ? std::string("lora") : setting}) {
      const auto found = m_stage.config_keys.find(name);
      if (found != m_stage.config_keys.end()) return &found->second;
    }
    return nullptr;
  }

  void add(const char* setting, const ConfigKey* key, std::string value, bool differs,
           const std::string& otherwise = "") {
    if (key == nullptr && !differs) return;
    const KnownKey known = key != nullptr ? taken_apart(*key) : KnownKey{};
    // A remark on what is left as it is tells nobody what to type.
    if (known.key.empty() && !differs) return;
    m_list.push_back({.setting = setting,
                      .key = known.key,
                      .value = std::move(value),
                      .file = key != nullptr ? key->file : "",
                      .note = known.remark.empty() && key != nullptr ? otherwise : known.remark});
  }

  const Stage& m_stage;
  std::vector<ConfigSetting> m_list;
};

// As configurations write it: tf32 is fp32 to them, a switch of the framework.
std::string_view precision_word(Precision precision) {
  return name_of(precision == Precision::tf32 ? Precision::fp32 : precision);
}

}  // namespace

std::vector<ConfigSetting> config_settings(const StageWorkload& stage, const StagePlan& plan) {
  const Training& training = stage.stage->training;
  const Recipe& recipe = *stage.recipe;
  const auto on = [](bool value) { return value ? "on" : "off"; };
  Settings settings(*stage.stage);
  double batch = training.batch_is_total ? plan.batch * plan.gpus : plan.batch;
  if (settings.has_unit("batch", ConfigUnit::effective_batch)) batch *= plan.grad_accum;
  settings.number("batch", batch, true);
  if (stage.stage->batch_unit != BatchUnit::clips)
    settings.word("batch_unit", name_of(stage.stage->batch_unit), false);
  if (!training.accumulation_fixed)
    settings.number("grad_accum", plan.grad_accum, plan.grad_accum != recipe.grad_accum);
  settings.word("precision", precision_word(plan.precision), plan.precision != recipe.precision);
  settings.word("checkpointing", on(plan.checkpointing),
                plan.checkpointing != recipe.checkpointing);
  if (plan.attention)
    settings.word("attention", name_of(*plan.attention),
                  recipe.attention && plan.attention != recipe.attention);
  settings.word("optimizer", plan.optimizer->id, plan.optimizer != &training.optimizers.front());
  if (plan.method == Method::lora)
    settings.number("lora_rank", plan.lora_rank, recipe.method != Method::lora);
  if (training.ema_bytes) settings.word("ema", on(plan.ema), !plan.ema);
  if (plan.sharding != Sharding::none) settings.word("sharding", name_of(plan.sharding), true);
  // The default is a guess of what the data holds, no wish to cut it; at the
  // trainer's own cap there is nothing to set.
  const bool capped = training.cap_clip && stage.max_clip.value >= *training.cap_clip;
  if (stage.max_clip.origin != Origin::model_default && !capped)
    settings.length("max_clip", stage.max_clip.value, true);
  if (stage.epochs) settings.number("epochs", stage.epochs->value, false);
  return settings.take();
}

}  // namespace vcgpu

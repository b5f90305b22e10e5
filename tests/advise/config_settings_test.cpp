#include "advise/config_settings.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/fitted.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

// The value typed for `key`; "" where nothing is.
std::string typed(const std::vector<ConfigSetting>& settings, const std::string& key) {
  for (const ConfigSetting& setting : settings) {
    if (setting.key == key) return setting.value;
  }
  return {};
}

const ConfigSetting* named(const std::vector<ConfigSetting>& settings, const std::string& name) {
  for (const ConfigSetting& setting : settings) {
    if (setting.setting == name) return &setting;
  }
  return nullptr;
}

struct Typed {
  Workload workload;
  FitAnswer answer;

  Typed(const WorkloadRequest& request, const std::string& gpu)
      : workload(resolve(request, embedded_catalog())),
        answer(fit_gpus(workload, embedded_catalog(), {gpu}, {}, 1)) {}
  [[nodiscard]] const std::vector<ConfigSetting>& settings(std::size_t stage = 0) const {
    return answer.gpus.at(0).stages.at(stage).settings;
  }
};

}  // namespace

TEST_CASE("XTTS is typed into the constants of its recipe") {
  // coqui-ai/TTS:recipes/ljspeech/xtts_v2/train_gpt_xtts.py
  const Typed xtts(request_for(Task::finetune, "xtts"), "rtx-3060-12gb");
  CHECK(typed(xtts.settings(), "BATCH_SIZE") == "1");
  CHECK(typed(xtts.settings(), "GRAD_ACUMM_STEPS") == "252");
  CHECK(typed(xtts.settings(), "mixed_precision") == "False");
}

TEST_CASE("a clip limit is typed in the project's unit, where the user set one") {
  WorkloadRequest request = request_for(Task::finetune, "xtts");
  CHECK(named(Typed(request, "rtx-3060-12gb").settings(), "max_clip") == nullptr);
  request.max_clip = flag(Seconds(8));
  // Samples at 22,050 Hz.
  CHECK(typed(Typed(request, "rtx-3060-12gb").settings(), "max_wav_length") == "176400");
  // The trainer's own cap is no setting.
  request.max_clip = flag(Seconds(20));
  CHECK(named(Typed(request, "rtx-3060-12gb").settings(), "max_clip") == nullptr);
}

TEST_CASE("GPT-SoVITS spells precision in two ways") {
  // RVC-Boss/GPT-SoVITS: s2v2Pro.json has fp16_run, s1longer-v2.yaml 16-mixed.
  const Typed half(request_for(Task::finetune, "gpt-sovits@v2pro"), "rtx-3060-12gb");
  CHECK(typed(half.settings(0), "train.fp16_run") == "true");
  CHECK(typed(half.settings(1), "train.precision") == "16-mixed");
  const Typed pascal(request_for(Task::finetune, "gpt-sovits@v2pro"), "gtx-1080-ti-11gb");
  CHECK(typed(pascal.settings(0), "train.fp16_run") == "false");
  CHECK(typed(pascal.settings(1), "train.precision") == "32");
}

TEST_CASE("F5-TTS is typed in frames") {
  // SWivid/F5-TTS:src/f5_tts/configs/F5TTS_v1_Base.yaml
  const Typed f5(request_for(Task::finetune, "f5-tts"), "rtx-4090-24gb");
  CHECK(typed(f5.settings(), "datasets.batch_size_per_gpu") == "3200");
  CHECK(typed(f5.settings(), "datasets.batch_size_type") == "frame");
  CHECK(typed(f5.settings(), "optim.bnb_optimizer") == "False");
}

TEST_CASE("a trainer's whole batch is typed with its accumulation in it") {
  // 152334H/DL-Art-School:experiments/EXAMPLE_gpt.yml: 128 in four parts.
  const Typed tortoise(request_for(Task::finetune, "tortoise"), "a100-sxm-80gb");
  CHECK(typed(tortoise.settings(), "datasets.train.batch_size") == "128");
  CHECK(typed(tortoise.settings(), "train.mega_batch_factor") == "4");
}

TEST_CASE("a change whose key is not known is named all the same") {
  const Fitted fit(small_parts(), small_request(), "card-4gb");
  const ConfigSetting* batch = named(fit.stage().settings, "batch");
  REQUIRE(batch != nullptr);
  CHECK(batch->key.empty());
  CHECK(batch->value == "1");
  CHECK(named(fit.stage().settings, "grad_accum") != nullptr);
  CHECK(named(fit.stage().settings, "precision") == nullptr);  // as the recipe has it
}

TEST_CASE("a key without spellings gets our word, and switches true or false") {
  CatalogParts parts = small_parts();
  parts.gpus.push_back(small_gpu("card-3gb", 3));
  auto& keys = parts.models[0].stages[0].config_keys;
  keys["precision"].key = "amp";
  keys["checkpointing"].key = "ckpt";
  const Fitted fit(parts, small_request(), "card-3gb");
  CHECK(typed(fit.stage().settings, "amp") == "fp16");
  CHECK(typed(fit.stage().settings, "ckpt") == "true");
}

TEST_CASE("a key that is a text alone is taken apart, and no remark is taken for a key") {
  CatalogParts parts = small_parts();
  auto& keys = parts.models[0].stages[0].config_keys;
  keys["batch"].key = "batch_size (recipe constant BATCH_SIZE)";
  keys["grad_accum"].key = "none: it is hard-coded";
  keys["precision"].key = "train.amp_dtype";
  keys["max_clip"].key = "max_len";
  WorkloadRequest request = small_request();
  request.max_clip = flag(Seconds(10));
  const Fitted fit(parts, request, "card-4gb");
  const std::vector<ConfigSetting>& settings = fit.stage().settings;
  CHECK(typed(settings, "batch_size") == "1");
  CHECK(named(settings, "batch")->note == "recipe constant BATCH_SIZE");
  CHECK(named(settings, "grad_accum")->key.empty());
  CHECK(named(settings, "grad_accum")->note == "none: it is hard-coded");
  CHECK(named(settings, "precision")->note == "in the project's own spelling");
  CHECK(typed(settings, "max_len") == "10s");
  CHECK(named(settings, "max_clip")->note == "in the project's own unit");
}

#include "estimate/own_model.hpp"

#include "support/catch.hpp"
#include "support/embedded.hpp"
#include "support/errors.hpp"
#include "support/small_catalog.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

// Batches of 2, 4 and 8 clips of 4, 6 and 10 s.
std::vector<Measurement> three_rows() {
  std::vector<Measurement> rows;
  for (const double batch : {2.0, 4.0, 8.0}) {
    Measurement row;
    row.precision = Precision::bf16;
    row.batch = batch;
    row.clip = Seconds(batch + 2);
    row.peak = gb(2 + batch);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("an own model takes its recipe from the rows") {
  const std::vector<Measurement> rows = three_rows();
  const VoiceModel model =
      own_model({.id = "mine", .stage = "train", .parameters = 1e8, .date = "2026-11-30"}, rows,
                embedded_catalog());
  const Recipe& recipe = model.stages.at(0).training.recipes.at(Task::finetune);
  CHECK(recipe.batch.value == 4);
  CHECK(recipe.mean_clip == Seconds(6));
  CHECK(recipe.max_clip == Seconds(10));
  CHECK(recipe.precision == Precision::bf16);
  CHECK(model.licence.commercial == "unclear");
  CHECK(model.stages.at(0).training.speed.references.at(0).basis == Basis::analytic);
}

TEST_CASE("an id that is none is refused") {
  const std::vector<Measurement> rows = three_rows();
  for (const char* id : {"", "-", "My Model", "a/b", "-a", "a-"})
    CHECK(error_of([&] {
            own_model({.id = id, .stage = "train", .parameters = 1e8, .date = "2026-11-30"}, rows,
                      embedded_catalog());
          }).code() == "bad-value");
}

TEST_CASE("speeds are of the row with most work, for each card that is known") {
  std::vector<Measurement> rows = three_rows();
  for (Measurement& row : rows) {
    row.gpu = "NVIDIA GeForce RTX 4090";
    row.grad_accum = 2;
    row.seconds_per_step = Seconds(row.batch / 10);
  }
  rows[0].gpu = "some card";
  const std::vector<SpeedReference> speeds =
      measured_speeds(small_stage(), rows, "2026-11-30", embedded_catalog());
  REQUIRE(speeds.size() == 1);
  CHECK(speeds[0].gpu == "rtx-4090-24gb");
  CHECK(speeds[0].batch == 8);
  CHECK(speeds[0].steps_per_s == Approx(2.5));  // two passes in 0.8 s
}

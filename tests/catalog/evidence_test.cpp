#include <set>
#include <string>
#include <vector>

#include "catalog/evidence_source.hpp"
#include "support/catch.hpp"
#include "support/embedded.hpp"
#include "support/errors.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

const std::vector<EvidenceReport>& shipped() {
  static const std::vector<EvidenceReport> reports = embedded_evidence();
  return reports;
}

std::vector<EvidenceReport> read(const std::string& text) {
  return read_evidence({"mine.jsonl", text});
}

const std::string line =
    R"({"id":"a-1","model":"rvc","variant":null,"stage":null,"task":"train","gpu":null,"vram_gb":8,)"
    R"("num_gpus":1,"batch":4,"batch_unit":"clips","batch_scope":"per-gpu","outcome":"ok",)"
    R"("peak_gb":null,"speed":null,"use":["verdict"],"assumed":[],"confidence":"high",)"
    R"("source":"a forum","thread":"a#1","note":"it ran"})";

}  // namespace

TEST_CASE("the shipped reports are all of the collected ones") { CHECK(shipped().size() == 434); }

TEST_CASE("halves are those of the FNV-1a hash, whose values are published") {
  // FNV-1a, 64 bits: "" is cbf29ce484222325 (odd), "a" af63dc4c8601ec8c (even)
  CHECK(half_of("") == EvidenceHalf::testing);
  CHECK(half_of("a") == EvidenceHalf::fitting);
}

TEST_CASE("neither half of the evidence is much smaller than the other") {
  std::set<std::string> fitting;
  std::set<std::string> testing;
  for (const EvidenceReport& report : shipped())
    (half_of(report.thread) == EvidenceHalf::fitting ? fitting : testing).insert(report.thread);
  CHECK(fitting.size() > 100);
  CHECK(testing.size() > 100);
}

TEST_CASE("a report's GPU is one of the catalog") {
  for (const EvidenceReport& report : shipped()) {
    CAPTURE(report.id);
    if (!report.gpu.empty()) CHECK(embedded_catalog().gpu_with_id(report.gpu) != nullptr);
  }
}

TEST_CASE("models, variants and stages of reports resolve wherever the model is known") {
  // Not the catalog's: other projects, or a variant that nothing is known of.
  const std::set<std::string> unknown{"naturalspeech2@amphion", "vits@espnet"};
  for (const EvidenceReport& report : shipped()) {
    const std::string name =
        report.variant.empty() ? report.model : report.model + "@" + report.variant;
    if (unknown.contains(name)) continue;
    CAPTURE(report.id, name);
    const ModelChoice choice = embedded_catalog().model(name);
    if (report.stage.empty()) continue;
    bool known = false;
    for (const Stage* stage : stages_of(*choice.model, *choice.variant))
      known = known || is_named(*stage, report.stage);
    CHECK((known || choice.variant->stages.empty()));
  }
}

TEST_CASE("a line with nulls is read as one without the keys") {
  const std::vector<EvidenceReport> reports = read(line + "\n\n");
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].variant.empty());
  CHECK_FALSE(reports[0].peak_gb);
  CHECK(reports[0].vram_gb == 8.0);
  CHECK(reports[0].judges_verdict);
  CHECK_FALSE(reports[0].judges_peak);
}

TEST_CASE("a document is read as its lines are") {
  const std::string report =
      line.substr(0, line.find(R"("variant")")) +
      line.substr(line.find(R"("task")"), line.find(R"("gpu")") - line.find(R"("task")")) +
      line.substr(line.find(R"("vram_gb")"),
                  line.find(R"("peak_gb")") - line.find(R"("vram_gb")")) +
      line.substr(line.find(R"("use")"));
  const auto reports =
      read(R"({"schema_version": 1, "as_of": "2026-11-30", "reports": [)" + report + "]}");
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].id == "a-1");
  CHECK(reports[0].batch == 4.0);
}

TEST_CASE("a wrong report is refused with its line") {
  const auto message = [](const std::string& text) {
    return std::string(error_of([&] { (void)read(text); }).what());
  };
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK(message(line + "\n{\"id\": 3}") == "mine.jsonl line 2:1: /id: must be a text, not number");
  CHECK(message(with(line, "\"ok\"", "\"fine\"")).find("mine.jsonl line 1:1: /outcome") == 0);
  CHECK(
      message(with(line, "\"vram_gb\":8", "\"vram_gb\":-8")).find("/vram_gb: -8 is out of range") !=
      std::string::npos);
  CHECK(message(with(line, "\"use\":[\"verdict\"]", "\"use\":[\"peak\"]"))
            .find("is used as a peak and has no peak_gb") != std::string::npos);
  CHECK(message(line + "\n" + line) == "mine.jsonl: a second report 'a-1'");
  CHECK(message("[1, 2]").find("is no report") != std::string::npos);
  CHECK(message("{").find("mine.jsonl line 1") == 0);
}

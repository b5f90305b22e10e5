#include <string>

#include "catalog/measurement.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/random_catalog.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

std::vector<Measurement> read(const std::string& text) {
  return read_measurements({"runs.csv", text});
}

struct Refusal {
  std::string message, hint;
};

Refusal refusal(const std::string& text) {
  const Error error = error_of([&] { return read(text); });
  CHECK(error.exit_code() == ExitCode::usage);
  return {error.what(), error.hint()};
}

constexpr const char* header = "batch,clip_s,precision,peak_gib\n";

}  // namespace

TEST_CASE("a row of CSV is read by the names of its columns") {
  const std::vector<Measurement> rows = read(
      "peak_mib,precision,clip_s,batch,kind,grad_accum,checkpointing,lora_rank,text_tokens,gpu,"
      "gpus,seconds_per_step,optimizer,attention,date,torch,note\n"
      "10240,bf16,8.5,4,reserved,2,on,16,120,NVIDIA L4,2,0.5,adamw,sdpa,2026-11-29T10:00,2.4,x\n");
  REQUIRE(rows.size() == 1);
  const Measurement& row = rows.front();
  CHECK(row.line == 2);
  CHECK(row.batch == 4);
  CHECK(row.clip == Seconds(8.5));
  CHECK(row.precision == Precision::bf16);
  CHECK(row.peak == gib(10));
  CHECK(row.kind == PeakCounter::reserved);
  CHECK(row.grad_accum == 2);
  CHECK(row.gpus == 2);
  CHECK(row.checkpointing == true);
  CHECK(row.lora_rank == 16);
  CHECK(row.text_tokens == 120);
  CHECK(row.attention == Attention::sdpa);
  CHECK(row.optimizer == "adamw");
  CHECK(row.gpu == "NVIDIA L4");
  CHECK(row.seconds_per_step == Seconds(0.5));
  CHECK(row.date == "2026-11-29");
}

TEST_CASE("what spreadsheets make of CSV is read") {
  const std::vector<Measurement> rows = read(
      "\xEF\xBB\xBF# measured on the big machine\r\n"
      "\"batch\", clip_s ,precision,peak_gib,gpu\r\n"
      "\r\n"
      "\"4\",8,FP16,\"9.5\",\"a, \"\"b\"\"\"\r\n"
      "# and again\r\n"
      "8,6,fp16,12,\r\n");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].batch == 4);
  CHECK(rows[0].gpu == "a, \"b\"");
  CHECK(rows[0].line == 4);
  CHECK(rows[1].line == 6);
  CHECK(rows[1].gpu.empty());
}

TEST_CASE("JSON and JSON lines have the same keys") {
  const std::string a = R"({"batch": 4, "clip_s": 8, "precision": "fp16", "peak_bytes": 9e9})";
  const std::string b =
      R"({"batch": 8, "clip_s": 6, "precision": "fp16", "peak_gib": 12, "checkpointing": true, "gpu": null})";
  for (const std::string& text : {"[\n" + a + ",\n" + b + "]", a + "\n\n" + b + "\n"}) {
    const std::vector<Measurement> rows = read(text);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].peak == Bytes(9e9));
    CHECK(rows[1].checkpointing == true);
    CHECK(rows[1].batch == 8);
    CHECK(rows[1].line == 3);
  }
}

TEST_CASE("a wrong cell is named with file, line and column") {
  const auto message = [](const std::string& row) { return refusal(header + row).message; };
  CHECK(message("0,8,fp16,9\n") == "runs.csv:2: batch: '0' is not possible");
  CHECK(message("4,8,fp16,9\n-4,8,fp16,9\n") == "runs.csv:3: batch: '-4' is not possible");
  CHECK(message("nan,8,fp16,9\n") == "runs.csv:2: batch: 'nan' is not possible");
  CHECK(message("4,inf,fp16,9\n") == "runs.csv:2: clip_s: 'inf' is not possible");
  CHECK(message("4,1e9,fp16,9\n") == "runs.csv:2: clip_s: '1e9' is not possible");
  CHECK(message("4,8,fp16,0\n") == "runs.csv:2: peak_gib: '0' is not possible");
  CHECK(message("4,8,fp16,1e6\n") == "runs.csv:2: peak_gib: '1e6' is not possible");
  CHECK(message("4,8,float16,9\n") == "runs.csv:2: precision: 'float16' is not known");
  CHECK(message("4,8,,9\n") == "runs.csv:2: precision: is missing");
  CHECK(message("4,8,fp16,\n") == "runs.csv:2: peak_gib: is missing");
  CHECK(message("4,8,fp16,9 GiB\n") == "runs.csv:2: peak_gib: '9 GiB' is not possible");
}

TEST_CASE("a hint says what would be right") {
  CHECK(refusal("batch,clip_s,precision,peak_gb\n").hint == "did you mean peak_gib or peak_mib?");
  CHECK(refusal(std::string(header) + "4,8,float16,9\n").hint ==
        "one of: fp32, tf32, fp16, bf16, int8, int4");
  CHECK(refusal("batch;clip_s;precision;peak_gib\n4;8;fp16;9\n").hint ==
        "separate columns by commas, not by semicolons");
  CHECK(refusal("batch\tclip_s\n4\t8\n").hint == "separate columns by commas, not by tabs");
  CHECK(refusal(std::string(header) + "4,8,fp16,9,5\n").hint ==
        "quote a text that holds a comma; decimals are written with a point");
}

TEST_CASE("a file that is no table is refused") {
  CHECK(refusal("").message == "runs.csv: is empty");
  CHECK(refusal(" \n\n").message == "runs.csv: is empty");
  CHECK(refusal(header).message == "runs.csv: has no rows");
  CHECK(refusal("[]").message == "runs.csv: has no rows");
  CHECK(refusal("# only a comment\n").message == "runs.csv: no header line");
  CHECK(refusal(std::string("b\0a", 3)).message == "runs.csv: holds a NUL byte");
  CHECK(refusal(std::string(header) + "4,8,fp16\n").message ==
        "runs.csv:2: fewer cells than the header has columns");
  CHECK(refusal(std::string(header) + "4,8,\"fp16,9\n").message ==
        "runs.csv:2: a quote that is not closed");
  CHECK(refusal("batch,batch\n1,2\n").message == "runs.csv: column 'batch' occurs twice");
  CHECK(refusal("{\"batch\": }").message.starts_with("runs.csv:1: not valid JSON"));
  CHECK(refusal("[4]").message == "runs.csv:1: /0: must be an object, not number");
  CHECK(refusal("[{\"batch\": [1]}]").message ==
        "runs.csv:1: /0/batch: must be a text, a number or a boolean");
  CHECK(refusal("[{\"bach\": 1}]").message == "runs.csv:1: unknown column 'bach'");
}

TEST_CASE("two peaks in a row are one too many") {
  CHECK(refusal("batch,clip_s,precision,peak_gib,peak_mib\n4,8,fp16,9,9216\n").message ==
        "runs.csv:2: peak_mib: a second peak");
}

TEST_CASE("more rows than anybody measures are refused") {
  std::string text = header;
  for (std::size_t i = 0; i <= max_measurements; ++i) text += "4,8,fp16,9\n";
  CHECK(refusal(text).message == "runs.csv: more than 10000 rows");
}

TEST_CASE("whatever the bytes, there are rows or an Error") {
  Random random(3);
  const std::string seed = std::string(header) + "4,8,fp16,9\n\"8\",6,bf16,12\n";
  const std::string json = R"([{"batch": 4, "clip_s": 8, "precision": "fp16", "peak_gib": 9}])";
  for (int round = 0; round < 3000; ++round) {
    std::string text = random.chance(0.7) ? seed : json;
    const int changes = random.integer(1, 6);
    for (int i = 0; i < changes; ++i) {
      const auto at =
          static_cast<std::size_t>(random.integer(0, static_cast<int>(text.size()) - 1));
      if (random.chance(0.3))
        text.erase(at, static_cast<std::size_t>(random.integer(1, 8)));
      else
        text.insert(
            at, 1, random.pick({',', '"', '\n', '\r', '#', '9', '-', '{', ']', '\0', 'e', '\xff'}));
      if (text.empty()) text = "x";
    }
    try {
      const std::vector<Measurement> rows = read(text);
      CHECK_FALSE(rows.empty());
    } catch (const Error& error) {
      CHECK(error.exit_code() == ExitCode::usage);
    }
  }
}

#include "catalog/json_source.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "vcgpu/names.hpp"

using namespace vcgpu;
using vcgpu::test::error_of;

namespace {

Error parse_error(const std::string& text) {
  return error_of([&] { (void)parse_source({"cat.json", text}, ExitCode::bad_catalog); });
}

std::string parse_message(const std::string& text) { return parse_error(text).what(); }

// A document that keeps what its root node points to.
class Document {
 public:
  explicit Document(const std::string& text)
      : m_text(std::make_shared<const JsonText>(JsonText{"cat.json", text})),
        m_value(parse_source(*m_text, ExitCode::bad_catalog)) {}
  [[nodiscard]] JsonNode root() const { return {m_value, m_text, "", ExitCode::bad_catalog}; }

 private:
  JsonTextPtr m_text;
  Json m_value;
};

// What reading `text` with `read` complains about.
template <class Read>
Error read_error(const std::string& text, Read read) {
  const Document document(text);
  return error_of([&] { read(document.root()); });
}

template <class Read>
std::string read_message(const std::string& text, Read read) {
  return read_error(text, read).what();
}

const std::string card =
    "{\n"
    "  \"gpus\": [\n"
    "    { \"id\": \"a\" },\n"
    "    {\n"
    "      \"id\": \"b\",\n"
    "      \"memory_gb\": \"24\"\n"
    "    }\n"
    "  ]\n"
    "}\n";

}  // namespace

TEST_CASE("a key that occurs twice is an error at the second one") {
  const Error error =
      parse_error("{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 1,\n    \"c\": 2\n  }\n}");
  CHECK(std::string(error.what()) == "cat.json:5: /b/c: this key occurs twice");
  CHECK(error.hint() == "remove or rename one of them");
  CHECK(error.exit_code() == ExitCode::bad_catalog);
}

TEST_CASE("the same key in two objects is fine") {
  CHECK_NOTHROW(
      parse_source({"cat.json", R"({"a": {"x": 1}, "b": {"x": 2}})"}, ExitCode::bad_catalog));
}

TEST_CASE("nesting is read up to 64 levels") {
  CHECK_NOTHROW(parse_source({"cat.json", std::string(64, '[') + std::string(64, ']')},
                             ExitCode::bad_catalog));
}

TEST_CASE("deeper nesting is an error, closed or not") {
  const std::size_t depth = GENERATE(std::size_t{65}, std::size_t{1'000'000});
  CHECK(parse_message(std::string(depth, '[')) == "cat.json:1: nested deeper than 64 levels");
  CHECK(parse_message(std::string(depth, '[') + std::string(depth, ']')) ==
        "cat.json:1: nested deeper than 64 levels");
}

TEST_CASE("a text that ends too early is an error at its last line") {
  CHECK_THAT(parse_message("{\n  \"a\": [1, 2"),
             StartsWith("cat.json:2: not valid JSON: syntax error"));
}

TEST_CASE("every beginning of a valid text is refused") {
  const std::string text = R"({"a": [1, {"b": "x\u00e9"}, null, true], "c": -1.5e3})";
  for (std::size_t length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS(parse_source({"cat.json", text.substr(0, length)}, ExitCode::bad_catalog),
                    Error);
  }
}

TEST_CASE("what is nearly JSON is refused") {
  const auto text = GENERATE(values<std::string>(
      {"", " ", "{'a': 1}", "{a: 1}", "[1,]", "{\"a\": 1,}", "// c\n{}", "[NaN]", "[Infinity]",
       "[0x10]", "[01]", "[1e999]", "{} {}", "[\"\x01\"]", "[\"\xFF\"]", "[\"\\ud800\"]", "nul"}));
  CAPTURE(text);
  CHECK_THAT(parse_message(text), ContainsSubstring("not valid JSON"));
}

TEST_CASE("a syntax error is placed on its line") {
  CHECK_THAT(parse_message("{\n  \"a\": 1\n  \"b\": 2\n}"),
             StartsWith("cat.json:3: not valid JSON"));
}

TEST_CASE("a string of megabytes is refused") {
  CHECK(parse_message("[\n\"" + std::string(5'000'000, 'x') + "\"]") ==
        "cat.json:2: a string longer than 20000 bytes");
}

TEST_CASE("the same error in a user's file has that file's exit code") {
  const Error error = error_of([] { (void)parse_source({"job.json", "{"}, ExitCode::usage); });
  CHECK(error.exit_code() == ExitCode::usage);
  CHECK(error.code() == "bad-input");
}

TEST_CASE("a file name with terminal escapes is shown without them") {
  const Error error = error_of([] { (void)parse_source({"\x1b[2J.json", "{"}, ExitCode::usage); });
  CHECK_THAT(std::string(error.what()), StartsWith("?[2J.json:1: "));
}

TEST_CASE("a value of the wrong type is an error with file, line and pointer") {
  const auto message = read_message(card, [](const JsonNode& root) {
    (void)root.items("gpus").at(1).number("memory_gb", 1, 100);
  });
  CHECK(message == "cat.json:6: /gpus/1/memory_gb: must be a number, not string");
}

TEST_CASE("each reader names the type that it wants") {
  using Read = void (*)(const JsonNode&);
  const std::vector<std::pair<std::string, Read>> readers{
      {"must be a text, not number", [](const JsonNode& n) { (void)n.text("n"); }},
      {"must be a number, not string", [](const JsonNode& n) { (void)n.number("t", 0, 1); }},
      {"must be a number, not null", [](const JsonNode& n) { (void)n.integer("z", 0, 1); }},
      {"must be true or false, not number",
       [](const JsonNode& n) { (void)n.boolean_or("n", true); }},
      {"must be an array, not string", [](const JsonNode& n) { (void)n.items("t"); }},
      {"must be a text, not number", [](const JsonNode& n) { (void)n.texts("a"); }},
      {"must be an object, not array", [](const JsonNode& n) { (void)n.at("a").members(); }},
      {"must be an object, not array", [](const JsonNode& n) { n.at("a").only({"x"}); }},
      {"must be an object, not string", [](const JsonNode& n) { (void)n.at("t").has("x"); }}};
  for (const auto& [complaint, read] : readers)
    CHECK_THAT(read_message(R"({"n": 1, "t": "x", "z": null, "a": [1]})", read),
               EndsWith(": " + complaint));
}

TEST_CASE("a missing key is reported at the object that lacks it") {
  const auto message =
      read_message(card, [](const JsonNode& root) { (void)root.items("gpus").at(1).text("name"); });
  CHECK(message == "cat.json:4: /gpus/1: \"name\" is missing");
}

TEST_CASE("a number out of range is reported with the range") {
  const Error error =
      read_error(R"({"n": 12})", [](const JsonNode& root) { (void)root.number("n", 0, 10); });
  CHECK(std::string(error.what()) == "cat.json:1: /n: 12 is out of range");
  CHECK(error.hint() == "from 0 to 10");
}

TEST_CASE("a fraction is no whole number") {
  CHECK(read_message(R"({"n": 1.5})", [](const JsonNode& root) {
          (void)root.integer("n", 0, 10);
        }) == "cat.json:1: /n: must be a whole number");
}

TEST_CASE("an empty text is refused") {
  const Error error =
      read_error(R"({"t": ""})", [](const JsonNode& root) { (void)root.text("t"); });
  CHECK(std::string(error.what()) == "cat.json:1: /t: must not be empty");
}

TEST_CASE("an unknown key is reported with the nearest known one") {
  const Error error = read_error("{\n\"memory_bg\": 24}", [](const JsonNode& root) {
    root.only({"id", "memory_gb"});
  });
  CHECK(std::string(error.what()) == "cat.json:2: /memory_bg: unknown key");
  CHECK(error.hint() == "did you mean memory_gb?");
}

TEST_CASE("an unknown word is reported with the known ones") {
  const Error error = read_error(R"({"form": "toaster"})", [](const JsonNode& root) {
    (void)root.choice("form", form_names());
  });
  CHECK(std::string(error.what()) == "cat.json:1: /form: 'toaster' is not known");
  CHECK(error.hint() == "one of: consumer, workstation, datacenter, edge");
}

TEST_CASE("what is no date is reported") {
  const Error error = read_error(R"({"as_of": "last week"})",
                                 [](const JsonNode& root) { (void)root.date("as_of"); });
  CHECK(std::string(error.what()) == "cat.json:1: /as_of: 'last week' is not a date");
  CHECK(error.hint() == "write YYYY-MM-DD");
}

TEST_CASE("slashes and tildes in a key are escaped in the pointer") {
  CHECK(read_message(R"({"a/b": {"c~d": "x"}})", [](const JsonNode& root) {
          (void)root.at("a/b").number("c~d", 0, 1);
        }) == "cat.json:1: /a~1b/c~0d: must be a number, not string");
}

TEST_CASE("a document that is no object is reported at its root") {
  CHECK(read_message("\n[]", [](const JsonNode& root) { root.only({"a"}); }) ==
        "cat.json:2: /: must be an object, not array");
}

TEST_CASE("a value's line is found, or its nearest ancestor's") {
  CHECK(line_of(card, "/gpus/0/id") == 3);
  CHECK(line_of(card, "/gpus/1") == 4);
  CHECK(line_of(card, "/gpus/1/memory_gb") == 6);
  CHECK(line_of(card, "/gpus/1/no-such/key") == 4);
  CHECK(line_of(card, "/gpus/10") == 2);
  CHECK(line_of(card, "") == 1);
}

TEST_CASE("a number at the end of a line has the line it stands on") {
  CHECK(line_of("{\n\"a\": 1\n,\"b\":\n2\n}", "/a") == 2);
  CHECK(line_of("{\n\"a\": 1\n,\"b\":\n2\n}", "/b") == 4);
}

TEST_CASE("what is absent is none, or the fallback") {
  const Document document("{}");
  CHECK_FALSE(document.root().optional_number("x", 0, 1));
  CHECK(document.root().number_or("x", 0, 1, 0.5) == 0.5);
  CHECK(document.root().text_or_empty("x").empty());
  CHECK(document.root().items("x").empty());
}

#include "base/text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace vcgpu;

namespace {

using Texts = std::vector<std::string>;
using Pair = std::pair<std::string, std::string>;

const Texts models{"bark",        "f5-tts",   "gpt-sovits", "rvc",
                   "so-vits-svc", "tortoise", "vits",       "xtts"};

}  // namespace

TEST_CASE("names are compared without case, spaces and punctuation") {
  const auto [text, name] = GENERATE(values<Pair>({{"RTX 4090", "rtx4090"},
                                                   {"rtx-4090", "rtx4090"},
                                                   {" A100_80GB (SXM) ", "a10080gbsxm"},
                                                   {"gpt_sovits@V2", "gptsovitsv2"},
                                                   {"-- ..", ""},
                                                   {"\xC3\xA9t\xC3\xA9", "t"}}));
  CAPTURE(text);
  CHECK(normalised_name(text) == name);
}

TEST_CASE("a mistyped name finds the name that was meant first") {
  const auto [wanted, meant] = GENERATE(values<Pair>({{"xtst", "xtts"},
                                                      {"tortise", "tortoise"},
                                                      {"F5 TTS", "f5-tts"},
                                                      {"gptsovit", "gpt-sovits"},
                                                      {"barc", "bark"}}));
  CAPTURE(wanted);
  const Texts nearest = nearest_names(wanted, models);
  REQUIRE_FALSE(nearest.empty());
  CHECK(nearest.front() == meant);
}

TEST_CASE("a part of a name finds the names that contain it") {
  const Texts gpus{"rtx-4090-24gb", "rtx-4090d-24gb", "rtx-3090-24gb", "t4-16gb"};
  CHECK(nearest_names("4090", gpus) == Texts{"rtx-4090-24gb", "rtx-4090d-24gb"});
}

TEST_CASE("nothing is suggested where no name is near") {
  CHECK(nearest_names("completely-different", models).empty());
}

TEST_CASE("no more names are suggested than asked for") {
  CHECK(nearest_names("sovits", models, 1).size() == 1);
}

TEST_CASE("a word of megabytes is near to nothing") {
  CHECK(nearest_names(std::string(10'000'000, 'x'), models).empty());
}

TEST_CASE("a suggestion reads as a question") {
  CHECK(did_you_mean("4080", Texts{"rtx-4080"}) == "did you mean rtx-4080?");
  CHECK(did_you_mean("4080", Texts{"rtx-4080", "rtx-4080s"}) ==
        "did you mean rtx-4080 or rtx-4080s?");
  CHECK(did_you_mean("4080", Texts{"4080a", "4080b", "4080c"}) ==
        "did you mean 4080a, 4080b or 4080c?");
}

TEST_CASE("without a suggestion the fallback is said") {
  CHECK(did_you_mean("zzzzzzzz", models, "see the list") == "see the list");
}

TEST_CASE("texts are joined between, not around") {
  CHECK(joined(Texts{"a", "b", "c"}) == "a, b, c");
  CHECK(joined(Texts{"a"}, "/") == "a");
  CHECK(joined(Texts{}).empty());
}

TEST_CASE("a list is split and its parts trimmed") {
  CHECK(split("a, b ,,c", ',') == Texts{"a", "b", "", "c"});
  CHECK(split("", ',') == Texts{""});
}

TEST_CASE("control characters become question marks") {
  const auto [text, shown] = GENERATE(values<Pair>({{"\x1b[31mred", "?[31mred"},
                                                    {"a\nb\tc\r", "a?b?c?"},
                                                    {"\x7f", "?"},
                                                    {std::string("a\0b", 3), "a?b"}}));
  CHECK(printable(text) == shown);
}

TEST_CASE("invalid UTF-8 becomes question marks, byte by byte") {
  const auto [text, shown] = GENERATE(values<Pair>({{"\xFF", "?"},
                                                    {"\x80z", "?z"},
                                                    {"\xC0\xAF", "??"},
                                                    {"\xED\xA0\x80", "???"},
                                                    {"\xE2\x82", "??"},
                                                    {"\xF4\x90\x80\x80", "????"},
                                                    {"\xE0\x80\xAF", "???"}}));
  CHECK(printable(text) == shown);
}

TEST_CASE("valid text of any language is shown as it is") {
  const auto text = GENERATE(values<std::string>(
      {"plain", "na\xC3\xAFve", "\xE2\x82\xAC 5", "\xE5\xA3\xB0\xE9\x9F\xB3", "\xF0\x9F\x98\x80"}));
  CHECK(printable(text) == text);
}

TEST_CASE("marks that reorder or hide text become question marks") {
  // U+202E, U+2066, U+200F, U+2028 and the C1 control U+009B.
  const auto mark = GENERATE(values<std::string>(
      {"\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x80\x8F", "\xE2\x80\xA8", "\xC2\x9B"}));
  CHECK(printable("a" + mark + "b") == "a?b");
}

TEST_CASE("a text over the limit is cut with dots, never inside a character") {
  CHECK(printable("abcdef", 3) == "abc...");
  CHECK(printable("\xC3\xA9\xC3\xA9\xC3\xA9", 3) == "\xC3\xA9\xC3\xA9...");
  CHECK(printable("abc", 3) == "abc");
}

TEST_CASE("width counts characters, not bytes") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\xE2\x96\x88\xE2\x96\x91") == 2);
}

TEST_CASE("a text is padded to exactly the columns asked for") {
  CHECK(fitted("ab", 4) == "ab  ");
  CHECK(fitted("abcd", 4) == "abcd");
  CHECK(fitted("\xC3\xA9t\xC3\xA9", 4) == "\xC3\xA9t\xC3\xA9 ");
}

TEST_CASE("a text that is too long is cut by characters, with a mark") {
  CHECK(fitted("abcdef", 4) == "abc~");
  CHECK(fitted("\xC3\xA9t\xC3\xA9", 2) == "\xC3\xA9~");
  CHECK(fitted("abcdef", 1) == "~");
}

TEST_CASE("in no columns nothing is shown") { CHECK(fitted("abc", 0).empty()); }

TEST_CASE("lines are broken at spaces and kept within the columns") {
  CHECK(wrapped("the quick brown fox", 10) == Texts{"the quick", "brown fox"});
  CHECK(wrapped("a  b", 10) == Texts{"a b"});
  CHECK(wrapped("", 10).empty());
}

TEST_CASE("a word longer than a line stands alone") {
  CHECK(wrapped("a incomprehensible b", 5) == Texts{"a", "incomprehensible", "b"});
}

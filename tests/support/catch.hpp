// Catch2 2 and 3 under the same names: include this, never Catch2's own headers.
//
// Version 3 moved Approx and the matchers into namespaces and renamed some; here both versions
// offer the version 3 names, in the global namespace.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)

#include <catch2/catch_all.hpp>

using Catch::Approx;
using Catch::Matchers::Contains;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::Equals;
using Catch::Matchers::Matches;
using Catch::Matchers::Message;
using Catch::Matchers::StartsWith;
using Catch::Matchers::UnorderedEquals;
using Catch::Matchers::VectorContains;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

#else

#include <catch2/catch.hpp>

using Catch::Matchers::EndsWith;
using Catch::Matchers::Equals;
using Catch::Matchers::Matches;
using Catch::Matchers::Message;
using Catch::Matchers::StartsWith;
using Catch::Matchers::UnorderedEquals;
using Catch::Matchers::VectorContains;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

inline auto ContainsSubstring(
    const std::string& text, Catch::CaseSensitive::Choice sensitivity = Catch::CaseSensitive::Yes) {
  return Catch::Matchers::Contains(text, sensitivity);
}

#endif

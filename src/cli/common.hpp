// What every command shares: output flags, the catalog, and how it is run.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/date.hpp"
#include "report/records.hpp"
#include "report/style.hpp"
#include "vcgpu/catalog.hpp"
#include "vcgpu/error.hpp"

namespace vcgpu::cli {

// As typed; read() turns them into types, so that errors are ours.
struct CommonFlags {
  std::optional<std::string> output, fields, out_file, colour, catalog;
  bool json = false;
  bool verbose = false;
};

struct CommonOptions {
  Format format = Format::table;
  std::vector<std::string> fields;
  std::optional<std::filesystem::path> out_file;
  Style style;
  CatalogSource catalog;
  Day today{};
};

void add_common_flags(CLI::App& command, CommonFlags& flags);
CommonOptions read(const CommonFlags& flags);

// A command's entry point, run after all flags are parsed.
using Action = std::function<ExitCode()>;

// Adds a subcommand whose --help starts with `examples` and ends with exit
// codes and the JSON fields. `action` is set when it is the one to run.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& summary,
                      const std::vector<std::string>& examples, const std::string& json_fields);

// A flag with a value. A later one overrides, except that lists join.
enum class Repeat { override_earlier, join };
CLI::Option* add_value(CLI::App& command, const std::string& name,
                       std::optional<std::string>& target, const std::string& help,
                       Repeat repeat = Repeat::override_earlier);

// "a,b" and repeated flags; empty parts are errors that name `what`.
std::vector<std::string> parse_list(const std::string& text, std::string_view what);

// One of `names`, else Error (usage) with the nearest.
template <class Enum>
Enum parse_choice(std::string_view text, std::string_view what,
                  const std::vector<std::pair<std::string_view, Enum>>& names);
[[noreturn]] void refuse_choice(std::string_view text, std::string_view what,
                                const std::vector<std::string>& known);

template <class Enum>
Enum parse_choice(std::string_view text, std::string_view what,
                  const std::vector<std::pair<std::string_view, Enum>>& names) {
  std::vector<std::string> known;
  for (const auto& [name, value] : names) {
    if (name == text) return value;
    known.emplace_back(name);
  }
  refuse_choice(text, what, known);
}

}  // namespace vcgpu::cli

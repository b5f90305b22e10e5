#include "cli/common.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "host/environment.hpp"
#include "host/log.hpp"
#include "host/terminal.hpp"

namespace vcgpu::cli {

namespace {

const std::vector<std::pair<std::string_view, Format>>& format_names() {
  static const std::vector<std::pair<std::string_view, Format>> names{
      {"table", Format::table}, {"wide", Format::wide}, {"json", Format::json},
      {"jsonl", Format::jsonl}, {"csv", Format::csv},   {"markdown", Format::markdown},
      {"names", Format::names}};
  return names;
}

ColourChoice colour_choice(const std::optional<std::string>& text) {
  if (!text) return ColourChoice::automatic;
  return parse_choice<ColourChoice>(*text, "--color",
                                    {{"auto", ColourChoice::automatic},
                                     {"always", ColourChoice::always},
                                     {"never", ColourChoice::never}});
}

constexpr const char* exit_codes =
    "Exit codes: 0 answered; 1 internal or I/O failure; 2 wrong usage; 3 nothing satisfies the "
    "request; "
    "4 catalog data invalid; 5 older than --max-age; 6 over a limit with --gate; 130 interrupted";

}  // namespace

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& summary,
                      const std::vector<std::string>& examples, const std::string& json_fields) {
  CLI::App& command = *parent.add_subcommand(name, summary);
  std::string text;
  for (const std::string& example : examples) text += "  " + example + "\n";
  // The formatter (src/cli/help.cpp) takes these apart again.
  command.footer("Examples:\n" + text + "\f" +
                 (json_fields.empty() ? "" : "JSON: " + json_fields + "\n") + exit_codes);
  command.allow_extras();
  return command;
}

CLI::Option* add_value(CLI::App& command, const std::string& name,
                       std::optional<std::string>& target, const std::string& help, Repeat repeat) {
  CLI::Option* option = command.add_option_function<std::vector<std::string>>(
      name,
      [&target, repeat](const std::vector<std::string>& values) {
        target = repeat == Repeat::join ? joined(values, ",") : values.back();
      },
      help);
  return option->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

std::vector<std::string> parse_list(const std::string& text, std::string_view what) {
  std::vector<std::string> parts = split(text, ',');
  for (const std::string& part : parts) {
    if (part.empty())
      throw Error(ExitCode::usage, "bad-value", fmt::format("{}: an empty name", what),
                  "write a,b");
  }
  return parts;
}

void refuse_choice(std::string_view text, std::string_view what,
                   const std::vector<std::string>& known) {
  throw Error(ExitCode::usage, "bad-value",
              fmt::format("{}: '{}' is not known", what, printable(text, 60)),
              did_you_mean(text, known, "one of: " + joined(known)));
}

void add_common_flags(CLI::App& command, CommonFlags& flags) {
  add_value(command, "-o,--output", flags.output,
            "table, wide, json, jsonl, csv, markdown or names (table)");
  command.add_flag("--json", flags.json, "the same as -o json");
  add_value(command, "--fields", flags.fields, "only these fields: a,b.c", Repeat::join);
  add_value(command, "--out-file", flags.out_file,
            "write there, all or nothing, instead of to standard output");
  add_value(command, "--color", flags.colour, "auto, always or never (auto)");
  add_value(command, "--catalog", flags.catalog,
            "directory of catalog files in place of the built-in ones (VCGPU_CATALOG)");
  command.add_flag("-v,--verbose", flags.verbose, "say on standard error what is done");
}

CommonOptions read(const CommonFlags& flags) {
  if (flags.verbose) start_log();
  CommonOptions options{.format = Format::table,
                        .fields = {},
                        .out_file = std::nullopt,
                        .style = Style(terminal_of_stdout(colour_choice(flags.colour))),
                        .catalog = {},
                        .today = today()};
  if (flags.output) options.format = parse_choice(*flags.output, "--output", format_names());
  if (flags.json) options.format = Format::json;
  if (flags.fields) options.fields = parse_list(*flags.fields, "--fields");
  if (!options.fields.empty() &&
      (options.format == Format::table || options.format == Format::wide))
    throw Error(ExitCode::usage, "bad-value", "--fields does not go with table and wide",
                "use -o json, jsonl, csv or markdown");
  if (flags.out_file && flags.out_file->empty())
    throw Error(ExitCode::usage, "bad-value", "--out-file: empty", "a path");
  options.out_file = flags.out_file;
  const std::string directory = flags.catalog.value_or(environment_variable("VCGPU_CATALOG"));
  if (flags.catalog && directory.empty())
    throw Error(ExitCode::usage, "bad-value", "--catalog: empty", "a directory");
  if (!directory.empty()) options.catalog.directory = directory;
  options.catalog.overlays = overlay_files();
  return options;
}

}  // namespace vcgpu::cli

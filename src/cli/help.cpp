#include "cli/help.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace vcgpu::cli {

namespace {

constexpr std::size_t flag_columns = 26;
constexpr std::size_t help_columns = 80;

std::string flag_text(const CLI::Option& option) {
  std::string text;
  for (const std::string& name : option.get_snames()) text += "-" + name + ", ";
  if (option.get_snames().empty()) text += "    ";
  for (const std::string& name : option.get_lnames()) text += "--" + name;
  if (option.get_items_expected_max() > 0) text += " VALUE";
  return text;
}

void add_entry(std::string& out, const std::string& name, const std::string& description) {
  const std::vector<std::string> lines = wrapped(description, help_columns - flag_columns - 4);
  std::string lead = "  " + fitted(name, std::max(flag_columns, display_width(name))) + "  ";
  for (const std::string& line : lines) {
    out += lead + line + "\n";
    lead = std::string(flag_columns + 4, ' ');
  }
  if (lines.empty()) out += "  " + name + "\n";
}

}  // namespace

std::string help_text(const CLI::App& command, const std::string& path) {
  std::string out;
  for (const std::string& line : wrapped(command.get_description(), help_columns))
    out += line + "\n";
  out += "\n";
  const std::string footer = command.get_footer();
  const std::size_t cut = footer.find('\f');
  if (cut != std::string::npos) out += footer.substr(0, cut) + "\n";

  const auto subcommands = command.get_subcommands([](const CLI::App*) { return true; });
  out += "Usage: " + path + (subcommands.empty() ? "" : " COMMAND");
  bool has_flags = false;
  std::vector<std::string> groups;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    has_flags = true;
    if (std::find(groups.begin(), groups.end(), option->get_group()) == groups.end())
      groups.push_back(option->get_group());
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) out += fmt::format(" [{}]", option->get_name(true));
  }
  out += has_flags ? " [FLAGS]\n" : "\n";

  if (!subcommands.empty()) {
    out += "\nCommands:\n";
    for (const CLI::App* subcommand : subcommands)
      add_entry(out, subcommand->get_name(), subcommand->get_description());
  }
  for (const std::string& group : groups) {
    out +=
        "\n" + (group == "Options" || group == "OPTIONS" ? std::string("Output") : group) + ":\n";
    for (const CLI::Option* option : command.get_options()) {
      if (!option->get_positional() && option->get_group() == group)
        add_entry(out, flag_text(*option), option->get_description());
    }
  }
  const std::string tail = cut == std::string::npos ? footer : footer.substr(cut + 1);
  for (const std::string& paragraph : split(tail, '\n')) {
    if (!paragraph.empty()) out += "\n";
    for (const std::string& line : wrapped(paragraph, help_columns)) out += line + "\n";
  }
  return out;
}

}  // namespace vcgpu::cli

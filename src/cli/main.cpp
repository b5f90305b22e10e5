#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.hpp"
#include "catalog/json_source.hpp"
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "host/output.hpp"
#include "vcgpu/version.hpp"

namespace vcgpu::cli {

namespace {

struct Command {
  std::string_view name;
  void (*add)(CLI::App&, Action&);
};

constexpr std::array commands{
    Command{"recommend", add_recommend},
    Command{"estimate", add_estimate},
    Command{"fit", add_fit},
    Command{"calibrate", add_calibrate},
    Command{"accuracy", add_accuracy},
    Command{"gpus", add_gpus},
    Command{"models", add_models},
    Command{"providers", add_providers},
    Command{"offers", add_offers},
};

// Named in the contract and not there yet. Saying so beats "unknown command".
const std::vector<std::string>& commands_to_come() {
  static const std::vector<std::string> names{"compare", "diff",   "rules",     "catalog",
                                              "prices",  "launch", "doctor",    "guide",
                                              "explore", "config", "completion"};
  return names;
}

// "--batch-size -3" would read as a flag named -3: joined to "--batch-size=-3",
// the value's own parser can say what is allowed.
std::vector<std::string> with_negative_values_joined(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool negative = argument.size() >= 2 && argument[0] == '-' &&
                          (argument[1] == '.' || (argument[1] >= '0' && argument[1] <= '9'));
    const bool after_flag = !arguments.empty() && arguments.back().starts_with("--") &&
                            arguments.back().find('=') == std::string::npos &&
                            arguments.back().size() > 2;
    if (negative && after_flag)
      arguments.back() += "=" + std::string(argument);
    else
      arguments.emplace_back(argument);
  }
  return arguments;
}

bool wants_json(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--json" || argument == "-ojson" || argument == "-o=json" ||
        argument == "--output=json")
      return true;
    if ((argument == "-o" || argument == "--output") && i + 1 < arguments.size() &&
        arguments[i + 1] == "json")
      return true;
  }
  return false;
}

void report(const Error& error, bool json) {
  std::string text;
  if (json) {
    const Json document{{"error",
                         {{"code", error.code()},
                          {"message", error.what()},
                          {"hint", error.hint().empty() ? Json(nullptr) : Json(error.hint())}}}};
    text = document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  } else {
    text = fmt::format("vcgpu: {}\n", printable(error.what(), 2000));
    if (!error.hint().empty()) text += fmt::format("  {}\n", printable(error.hint(), 1000));
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
}

[[noreturn]] void refuse_extra(const CLI::App& command, const std::string& path) {
  const std::string extra = command.remaining().front();
  if (!extra.starts_with("-") || extra == "-")
    throw Error(ExitCode::usage, "unknown-argument",
                fmt::format("{}: '{}' is not expected here", path, printable(extra, 60)),
                "see: " + path + " --help");
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string flag = extra.substr(0, extra.find('='));
  throw Error(ExitCode::usage, "unknown-flag",
              fmt::format("{}: unknown flag '{}'", path, printable(flag, 60)),
              did_you_mean(flag, known, "see: " + path + " --help"));
}

[[noreturn]] void refuse_command(const std::string& name, const CLI::App& app) {
  const std::vector<std::string>& to_come = commands_to_come();
  if (std::find(to_come.begin(), to_come.end(), name) != to_come.end())
    throw Error(ExitCode::usage, "not-built", fmt::format("vcgpu {} is not built yet", name),
                "see: vcgpu --help for what there is");
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  throw Error(ExitCode::usage, "unknown-command",
              fmt::format("unknown command '{}'", printable(name, 60)),
              did_you_mean(name, known, "see: vcgpu --help"));
}

// The deepest command that was named, and how the user got there.
std::pair<const CLI::App*, std::string> chosen(const CLI::App& app) {
  const CLI::App* command = &app;
  std::string path = "vcgpu";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    path += " " + command->get_name();
  }
  return {command, path};
}

// The library's message names the flag first.
Error usage_error(const CLI::ParseError& error, const std::string& path) {
  std::string what = error.what();
  const std::size_t colon = what.find(':');
  const std::string flag =
      what.starts_with("-") && colon != std::string::npos ? what.substr(0, colon) : "";
  if (!flag.empty())
    return {ExitCode::usage, "missing-value",
            fmt::format("{}: {} needs a value", path, printable(flag, 60)),
            "see: " + path + " --help"};
  return {ExitCode::usage, "usage", fmt::format("{}: {}", path, printable(what, 200)),
          "see: " + path + " --help"};
}

ExitCode run(std::vector<std::string> arguments) {
  CLI::App app(
      "Which GPU to use for voice cloning, where to rent it, how long it takes and what it costs.");
  app.set_help_flag();
  app.footer(
      "Examples:\n"
      "  vcgpu recommend --task finetune --model sovits\n"
      "  vcgpu recommend --task finetune --model sovits -o json | jq '.results[0]'\n"
      "  vcgpu estimate --task finetune --model xtts --gpu 3060\n"
      "  vcgpu fit --task finetune --model xtts --gpu 3060\n"
      "\fExit codes: 0 answered; 1 internal or I/O failure; 2 wrong usage; 3 nothing satisfies the "
      "request; "
      "4 catalog data invalid; 5 older than --max-age; 6 over a limit with --gate; 130 "
      "interrupted\n"
      "Help for a command: vcgpu COMMAND --help");
  app.allow_extras();
  bool show_version = false;
  app.add_flag("--version", show_version, "the program's version");

  Action action;
  // Describing all flags of all commands takes longer than many answers: where
  // the command is named first, the others are left out.
  const auto named = std::find_if(commands.begin(), commands.end(), [&](const Command& command) {
    return !arguments.empty() && arguments.front() == command.name;
  });
  if (named != commands.end()) {
    named->add(app, action);
  } else {
    for (const Command& command : commands) command.add(app, action);
  }

  // --help anywhere wins over everything else that may be wrong.
  bool help = arguments.empty();
  std::erase_if(arguments, [&](const std::string& argument) {
    const bool asks = argument == "--help" || argument == "-h";
    help = help || asks;
    return asks;
  });
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (!help) throw usage_error(error, chosen(app).second);
  }
  const auto [command, path] = chosen(app);
  if (help) {
    write_result(help_text(*command, path), std::nullopt);
    return ExitCode::answered;
  }
  if (command == &app) {
    if (!app.remaining().empty() && !app.remaining().front().starts_with("-"))
      refuse_command(app.remaining().front(), app);
    if (!app.remaining().empty()) refuse_extra(app, path);
    if (show_version) {
      write_result(fmt::format("vcgpu {}\n", version), std::nullopt);
      return ExitCode::answered;
    }
    write_result(help_text(app, path), std::nullopt);
    return ExitCode::answered;
  }
  for (const CLI::App* level = command; level != nullptr; level = level->get_parent()) {
    if (!level->remaining().empty()) refuse_extra(*level, level == &app ? "vcgpu" : path);
  }
  return action();
}

}  // namespace

}  // namespace vcgpu::cli

int main(int argc, char** argv) {
  using vcgpu::Error;
  using vcgpu::ExitCode;
  namespace cli = vcgpu::cli;
  // A reader that goes away is seen as a failed write, not as death.
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> arguments = cli::with_negative_values_joined(argc, argv);
  const bool json = cli::wants_json(arguments);
  try {
    return static_cast<int>(cli::run(arguments));
  } catch (const Error& error) {
    cli::report(error, json);
    return static_cast<int>(error.exit_code());
  } catch (const std::bad_alloc&) {
    cli::report(Error(ExitCode::failure, "memory", "out of memory"), json);
  } catch (const std::exception& error) {
    cli::report(Error(ExitCode::failure, "internal", std::string("internal error: ") + error.what(),
                      "this is a fault of vcgpu: please report it"),
                json);
  }
  return static_cast<int>(ExitCode::failure);
}

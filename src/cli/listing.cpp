#include "cli/listing.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "host/output.hpp"

namespace vcgpu::cli {

namespace {

using Options = std::vector<const CLI::Option*>;

Options options_of(const CLI::App& command) {
  const auto list = command.get_options();
  return {list.begin(), list.end()};
}

[[noreturn]] void refuse(const std::string& code, const std::string& message,
                         const std::string& hint) {
  throw Error(ExitCode::usage, code, message, hint);
}

// A filter says nothing about an entry that is named.
void refuse_filters(const Options& filters, const std::string& path) {
  for (const CLI::Option* option : filters) {
    if (option->count() > 0)
      refuse("unknown-flag",
             fmt::format("{} show: --{} is a flag of list", path, option->get_lnames().front()),
             fmt::format("see: {} show --help", path));
  }
}

// `vcgpu gpus lsit` reads as a name that is none.
ExitCode show_or_suggest(const ListingCommand& command, const std::string& word) {
  try {
    return command.run_show();
  } catch (const Error& error) {
    const std::vector<std::string> commands{"list", "show"};
    const std::vector<std::string> nearest = nearest_names(word, commands, 1);
    const bool unknown_name =
        error.code() == "unknown-" + command.name.substr(0, command.name.size() - 1);
    if (!unknown_name || nearest.empty()) throw;
    throw Error(error.exit_code(), error.code(), error.what(),
                fmt::format("did you mean vcgpu {} {}?", command.name, nearest.front()));
  }
}

}  // namespace

void add_listing(CLI::App& app, Action& action, const ListingCommand& command,
                 ListingFlags& flags) {
  const std::string path = "vcgpu " + command.name;
  std::vector<std::string> examples = command.list.examples;
  examples.insert(examples.end(), command.show.examples.begin(), command.show.examples.end());
  CLI::App& both = add_command(app, command.name, command.summary, examples,
                               "as of list and show; list where neither is named");
  CLI::App& list = add_command(both, "list", command.list.summary, command.list.examples,
                               command.list.json_fields);
  CLI::App& show = add_command(both, "show", command.show.summary, command.show.examples,
                               command.show.json_fields);
  both.require_subcommand(0, 1);
  command.add_filters(both);
  const Options filters = options_of(both);
  command.add_filters(list);
  for (CLI::App* level : {&both, &list, &show}) add_common_flags(*level, flags.common);
  for (CLI::App* level : {&both, &show})
    level->add_option(command.id + "...", flags.ids, "names of entries to show");

  list.callback([&action, &flags, command, path] {
    action = [&flags, command, path] {
      if (!flags.ids.empty())
        refuse("unknown-argument",
               fmt::format("{} list: '{}' is not expected here", path,
                           printable(flags.ids.front(), 60)),
               fmt::format("for one entry: {} show {}", path, command.id));
      return command.run_list();
    };
  });
  show.callback([&action, &flags, command, path, filters] {
    action = [&flags, command, path, filters] {
      refuse_filters(filters, path);
      if (flags.ids.empty())
        refuse("missing-argument", fmt::format("{} show: no {} named", path, command.id),
               fmt::format("see: {} list", path));
      return command.run_show();
    };
  });
  // Runs after its subcommand's.
  both.callback([&action, &both, &flags, command, path, filters] {
    if (!both.get_subcommands().empty()) return;
    action = [&flags, command, path, filters] {
      if (flags.ids.empty()) return command.run_list();
      refuse_filters(filters, path);
      return show_or_suggest(command, flags.ids.front());
    };
  });
}

CardContext card_context(const Catalog& catalog, const CommonOptions& options) {
  return {.catalog = &catalog,
          .style = &options.style,
          .today = options.today,
          .detail = options.format == Format::wide ? CardContext::Detail::every_term
                                                   : CardContext::Detail::usual};
}

bool for_people(const CommonOptions& options) {
  return options.format == Format::table || options.format == Format::wide;
}

ExitCode write_list(Listing listing, const Catalog& catalog, const CommonOptions& options,
                    const RecordShape& shape, TableText table) {
  const ExitCode code = listing.results.empty() ? ExitCode::nothing_fits : ExitCode::answered;
  if (for_people(options)) {
    const ListingTable content{.listing = &listing,
                               .catalog = &catalog.info(),
                               .old_after_days = catalog.assumptions().prices.old_after_days,
                               .width = options.format == Format::wide
                                            ? ListingTable::Width::wide
                                            : ListingTable::Width::terminal};
    write_result(table(content, options.style), options.out_file);
    return code;
  }
  write_result(render_records(listing_document(std::move(listing), catalog.info()), options.format,
                              options.fields, shape),
               options.out_file);
  return code;
}

ExitCode write_show(Listing listing, const Catalog& catalog, const CommonOptions& options,
                    const std::string& cards) {
  if (for_people(options)) {
    write_result(cards, options.out_file);
    return ExitCode::answered;
  }
  const RecordShape shape{flat_columns(listing.results), {"id"}, {}};
  write_result(render_records(listing_document(std::move(listing), catalog.info()), options.format,
                              options.fields, shape),
               options.out_file);
  return ExitCode::answered;
}

}  // namespace vcgpu::cli

#include "connectors/cli/program.h"

#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "connectors/cli/exit_status.h"
#include "connectors/cli/text.h"
#include "connectors/cli/version.h"

namespace qmarket {
namespace {

constexpr std::size_t kHelpWidth = 80;

// Help in our words: in a list of commands the summary alone (the first line of a description), and
// no lists of what excludes what.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { label("SUBCOMMAND", "COMMAND"); }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    return absl::StrCat("\n", CLI::Formatter::make_usage(app, std::move(name)));
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    const std::string otherwise = option->get_default_str();
    const std::string type = option->get_type_name();  // TEXT says nothing
    return absl::StrCat(type == "TEXT" ? "" : absl::StrCat(" ", type),
                        otherwise.empty() ? "" : absl::StrCat(" (", otherwise, ")"),
                        option->get_expected_max() > 1 ? " ..." : "");
  }

  std::string make_subcommand(const CLI::App* sub) const override {
    const std::string description = sub->get_description();
    std::stringstream line;
    CLI::detail::format_help(line, sub->get_name(), description.substr(0, description.find('\n')),
                             column_width_);
    return line.str();
  }
};

int Fail(ExitStatus status, absl::string_view message) {
  std::cerr << "qmarket: " << message << '\n';
  return static_cast<int>(status);
}

// Ends the process as a write to a closed pipe does without us: quietly, and visible to the shell.
int EndByBrokenPipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  return static_cast<int>(ExitStatus::kBadInput);
}

int RunCommand(Command& command) {
  Output out(STDOUT_FILENO);
  absl::Status status = command.Run(out);
  // What was printed before a failure is still printed; the failure is what counts.
  const absl::Status flushed = out.Flush();
  if (status.ok()) status = flushed;
  if (status.ok()) return static_cast<int>(ExitStatus::kDone);
  if (IsBrokenPipe(status)) return EndByBrokenPipe();
  return Fail(ExitStatusOf(status), status.message());
}

void AddCommand(CLI::App& app, Command& command) {
  const CommandText text = command.text();
  CLI::App* sub = app.add_subcommand(
      text.name, absl::StrCat(text.summary, "\n\n", Wrapped(text.explanation, kHelpWidth)));
  sub->group(text.group);
  sub->footer(absl::StrCat("Example:\n  ", text.example));
  sub->fallthrough(false);
  if (command.parts().empty()) {
    command.AddOptions(*sub);
    return;
  }
  sub->require_subcommand(1);
  for (const std::unique_ptr<Command>& part : command.parts())
    AddCommand(*sub, *part);
}

// The innermost command that was called, or `app` where none was.
const CLI::App& Called(const CLI::App& app) {
  const std::vector<const CLI::App*> chosen =
      app.get_subcommands([](const CLI::App* sub) { return sub->parsed(); });
  return chosen.empty() ? app : Called(*chosen.front());
}

// As it is typed: "audit verify".
std::string NameOf(const CLI::App& called) {
  const CLI::App* parent = called.get_parent();
  if (parent == nullptr) return "";
  const std::string above = NameOf(*parent);
  return above.empty() ? called.get_name() : absl::StrCat(above, " ", called.get_name());
}

// What is typed before its own name: "qmarket", "qmarket audit".
std::string NamesAbove(const CLI::App& called) {
  const std::string above = NameOf(*called.get_parent());
  return absl::StrCat("qmarket", above.empty() ? "" : " ", above);
}

// The command of this name, as NameOf gives it; null where there is none.
Command* Find(absl::Span<const std::unique_ptr<Command>> commands, absl::string_view name) {
  const std::pair<absl::string_view, absl::string_view> words =
      absl::StrSplit(name, absl::MaxSplits(' ', 1));
  for (const std::unique_ptr<Command>& command : commands) {
    if (command->text().name != words.first) continue;
    return words.second.empty() ? command.get() : Find(command->parts(), words.second);
  }
  return nullptr;
}

// CLI11 does not say which word it takes for no command.
absl::Status CheckCommandName(int argc, const char* const* argv,
                              const std::vector<std::unique_ptr<Command>>& commands) {
  if (argc < 2) return UsageError("expected a command\nSee qmarket --help");
  const absl::string_view word = argv[1];
  if (word.empty() || word.front() == '-') return absl::OkStatus();
  std::vector<std::string> names;
  for (const std::unique_ptr<Command>& command : commands) {
    names.push_back(command->text().name);
    if (names.back() == word) return absl::OkStatus();
  }
  const std::vector<std::string> near = NearNames(word, names);
  return UsageError(
      absl::StrCat("no command ", word,
                   near.empty() ? "" : "; did you mean " + absl::StrJoin(near, " or ") + "?",
                   "\nSee qmarket --help"));
}

int ParseAndRun(int argc, const char* const* argv,
                const std::vector<std::unique_ptr<Command>>& commands) {
  CLI::App app("An internal market for machine learning accelerators.", "qmarket");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", VersionText(), "Print the versions and exit");
  app.require_subcommand(1);
  app.footer("`qmarket COMMAND --help` explains a command.");
  for (const std::unique_ptr<Command>& command : commands)
    AddCommand(app, *command);
  if (absl::Status known = CheckCommandName(argc, argv, commands); !known.ok()) {
    return Fail(ExitStatusOf(known), known.message());
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help and --version
    std::string text = VersionText() + "\n";
    if (dynamic_cast<const CLI::CallForVersion*>(&wanted) == nullptr) {
      const CLI::App& called = Called(app);
      text = called.help(&called == &app ? "" : NamesAbove(called));
    }
    Output out(STDOUT_FILENO);
    out.Write(text);
    const absl::Status status = out.Flush();
    if (IsBrokenPipe(status)) return EndByBrokenPipe();
    return status.ok() ? 0 : Fail(ExitStatusOf(status), status.message());
  } catch (const CLI::ParseError& error) {
    const std::string called = NameOf(Called(app));
    return Fail(ExitStatus::kUsage, absl::StrCat(error.what(), "\nSee qmarket ", called,
                                                 called.empty() ? "" : " ", "--help"));
  }
  const std::string called = NameOf(Called(app));
  Command* command = Find(commands, called);
  return command != nullptr ? RunCommand(*command)
                            : Fail(ExitStatus::kUsage, absl::StrCat("no command ", called));
}

}  // namespace

int RunProgram(int argc, const char* const* argv, std::vector<std::unique_ptr<Command>> commands) {
  // A closed socket or pipe is an error of the write that meets it, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return ParseAndRun(argc, argv, commands);
  } catch (const std::exception& error) {
    return Fail(ExitStatus::kBadInput, absl::StrCat("unexpected: ", error.what()));
  }
}

}  // namespace qmarket

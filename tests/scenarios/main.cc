// Runs scenario files:
//
//   qmarket_scenarios [--show] [--as-events] FILE...
//
// Exit status: 0 all is as expected, 1 something is not, 2 usage or a file that cannot be read, 3
// with --as-events: JSON Lines cannot say some of the events.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"

#include "tests/scenarios/run.h"
#include "tests/scenarios/scenario.h"

namespace qmarket {

namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kNotAsEvents = 3;

int PrintEvents(const Scenario& scenario) {
  const absl::StatusOr<std::string> events = EventsAsJson(scenario);
  if (!events.ok()) {
    std::cerr << events.status().message() << "\n";
    return kNotAsEvents;
  }
  std::cout << *events;
  return 0;
}

int RunAndTell(const Scenario& scenario, bool show) {
  const RunReport report = RunScenario(scenario);
  const bool failed = !report.failures.empty();
  std::cout << (failed ? "FAILED " : "ok     ") << scenario.name << "\n";
  for (const std::string& failure : report.failures)
    std::cout << failure << "\n";
  if (failed || show) std::cout << "\n" << ToText(report);
  return failed ? kFailed : 0;
}

int Main(const std::vector<std::string>& arguments) {
  bool show = false;
  bool as_events = false;
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    if (argument == "--show") {
      show = true;
    } else if (argument == "--as-events") {
      as_events = true;
    } else if (absl::StartsWith(argument, "-")) {
      std::cerr << "unknown option " << argument << "; there are --show and --as-events\n";
      return kUsage;
    } else {
      files.push_back(argument);
    }
  }
  if (files.empty()) {
    std::cerr << "usage: qmarket_scenarios [--show] [--as-events] FILE...\n";
    return kUsage;
  }
  int status = 0;
  for (const std::string& file : files) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) {
      std::cerr << file << ": cannot be read\n";
      return kUsage;
    }
    const absl::StatusOr<Scenario> scenario = ReadScenario(file, text.str());
    if (!scenario.ok()) {
      std::cerr << scenario.status().message() << "\n";
      status = std::max(status, kUsage);
      continue;
    }
    status = std::max(status, as_events ? PrintEvents(*scenario) : RunAndTell(*scenario, show));
  }
  return status;
}

}  // namespace

}  // namespace qmarket

int main(int argc, char** argv) {
  return qmarket::Main({argv + 1, argv + argc});
}

// make_log DIR [--seed N] [--events N] [--bids N] [--teams N] [--bid-minutes N] [--json]
//
// Writes the generated workload into the embedded log DIR/log, ready for `qmarket replay --data
// DIR` and `qmarket run --data DIR --once`; with --json prints it as JSON Lines instead.
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "events/embedded_log.h"
#include "events/event_codec.h"
#include "events/event_json.h"
#include "tests/workload/workload.h"

namespace qmarket {

namespace {

// Append times follow the events, as in a log that was written live.
absl::Status WriteLog(const WorkloadSize& size, const std::string& dir) {
  std::int64_t now_ms = 0;
  EmbeddedLog::Options options;
  options.clock = [&now_ms] { return now_ms; };
  auto log = EmbeddedLog::Open(dir + "/log", EmbeddedLog::Mode::kReadWrite, options);
  if (!log.ok()) return log.status();
  absl::Status status;
  std::vector<std::string> records;
  const auto flush = [&] {
    if (!status.ok() || records.empty()) return;
    status = (*log)->Append(records, EventLog::Durability::kBuffered).status();
    records.clear();
  };
  MakeWorkload(size, [&](const Event& event) {
    now_ms = event.time_ms;
    records.push_back(EncodeEvent(event));
    if (records.size() == 1'000) flush();
  });
  flush();
  return status.ok() ? (*log)->Sync() : status;
}

int Main(int argc, char** argv) {
  WorkloadSize size;
  std::string dir;
  bool json = false;
  CLI::App app("Writes a generated workload into an embedded log.");
  app.add_option("dir", dir, "Data folder");
  app.add_option("--seed", size.seed);
  app.add_option("--events", size.events);
  app.add_option("--bids", size.bids);
  app.add_option("--teams", size.teams);
  app.add_option("--ticks", size.ticks);
  app.add_option("--bid-minutes", size.mean_bid_minutes);
  app.add_flag("--json", json);
  CLI11_PARSE(app, argc, argv);
  if (json) {
    MakeWorkload(size, [](const Event& event) { std::cout << EventToJson(event) << '\n'; });
    return 0;
  }
  const absl::Status status = WriteLog(size, dir);
  if (!status.ok()) std::cerr << status.message() << '\n';
  return status.ok() ? 0 : 1;
}

}  // namespace

}  // namespace qmarket

int main(int argc, char** argv) {
  return qmarket::Main(argc, argv);
}

// What the crash tests kill: a matcher or an appender, as `qmarket run` and `qmarket append` are.
//
//   matcher_child once DIR BATCH     applies what is in the log, in commits of BATCH records
//   matcher_child serve DIR BATCH    runs until it is killed or told to end
//   matcher_child append DIR FROM N  appends the events FROM ... FROM + N - 1, and prints the
//   number
//                                    of each that was acknowledged
//
// Errors go to stderr, with exit status 1.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "events/event.h"
#include "events/event_codec.h"
#include "matcher/process/appender.h"
#include "matcher/process/run.h"

namespace qmarket {
namespace {

absl::Status RunOn(const std::string& dir, const std::string& batch, bool once) {
  RunOptions options;
  options.data_dir = dir;
  options.once = once;
  options.max_batch_records = std::stoul(batch);
  options.on_report = [](const std::string& line) { std::cerr << line << '\n'; };
  return RunMatcher(options);
}

absl::Status AppendTo(const std::string& dir, std::uint64_t from, std::uint64_t count) {
  absl::StatusOr<std::unique_ptr<Appender>> appender = OpenAppender(dir);
  if (!appender.ok()) return appender.status();
  for (std::uint64_t i = from; i < from + count; ++i) {
    Event event;
    event.event_id = absl::StrCat("event-", i);
    event.payload = BidWithdrawn{.bid = absl::StrCat("bid-", i), .reason = ""};
    const absl::StatusOr<std::uint64_t> first = (*appender)->Append({EncodeEvent(event)});
    if (!first.ok()) return first.status();
    std::cout << i << '\n' << std::flush;
  }
  return absl::OkStatus();
}

int Main(const std::vector<std::string>& arguments) {
  absl::Status status = absl::InvalidArgumentError("usage: see the head of matcher_child.cc");
  if (arguments.size() == 4 && (arguments[1] == "once" || arguments[1] == "serve")) {
    status = RunOn(arguments[2], arguments[3], arguments[1] == "once");
  } else if (arguments.size() == 5 && arguments[1] == "append") {
    status = AppendTo(arguments[2], std::stoull(arguments[3]), std::stoull(arguments[4]));
  }
  if (!status.ok()) std::cerr << "matcher_child: " << status << '\n';
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace qmarket

int main(int argc, char** argv) {
  return qmarket::Main(std::vector<std::string>(argv, argv + argc));
}

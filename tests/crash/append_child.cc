// append_child DIR FROM N
//
// Appends the events FROM ... FROM + N - 1 one by one, as `qmarket append` does, and prints the
// number of each when it was acknowledged. Errors go to stderr, with exit status 1.
#include <cstdint>
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

namespace qmarket {
namespace {

absl::Status AppendTo(const std::string& dir, std::uint64_t from, std::uint64_t count) {
  absl::StatusOr<std::unique_ptr<Appender>> appender = OpenAppender(dir);
  if (!appender.ok()) return appender.status();
  for (std::uint64_t i = from; i < from + count; ++i) {
    Event event;
    event.event_id = absl::StrCat("event-", i);
    event.payload = BidWithdrawn{.bid = absl::StrCat("bid-", i), .reason = ""};
    const absl::StatusOr<AppendedRange> range = (*appender)->Append({EncodeEvent(event)});
    if (!range.ok()) return range.status();
    std::cout << i << '\n' << std::flush;
  }
  return absl::OkStatus();
}

int Main(const std::vector<std::string>& arguments) {
  absl::Status status = absl::InvalidArgumentError("usage: append_child DIR FROM N");
  if (arguments.size() == 4) {
    status = AppendTo(arguments[1], std::stoull(arguments[2]), std::stoull(arguments[3]));
  }
  if (!status.ok()) std::cerr << "append_child: " << status << '\n';
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace qmarket

int main(int argc, char** argv) {
  return qmarket::Main(std::vector<std::string>(argv, argv + argc));
}

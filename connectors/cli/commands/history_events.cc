#include "connectors/cli/commands/history_events.h"

#include <iostream>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/commands/open_log.h"

namespace qmarket {

std::optional<EventHead> HistoryEvents::At(std::uint64_t offset) {
  if (!std::exchange(opened_, true)) Open();
  if (!lookup_.has_value()) return std::nullopt;
  absl::StatusOr<EventHead> head = lookup_->At(offset);
  if (head.ok()) return *std::move(head);
  Report(head.status());
  // A record that is missing is one; any other error would come again for every offset.
  if (!absl::IsNotFound(head.status())) lookup_.reset();
  return std::nullopt;
}

void HistoryEvents::Open() {
  absl::StatusOr<std::unique_ptr<EventLog>> log =
      OpenLogOfStore(options_.log, options_.data_dir, state_);
  if (!log.ok()) {
    Report(log.status());
    return;
  }
  log_ = *std::move(log);
  lookup_.emplace(*log_);
}

void HistoryEvents::Report(const absl::Status& status) {
  if (std::exchange(reported_, true)) return;
  std::cerr << absl::StrCat("qmarket: without the events that made the changes: ", status.message(),
                            "\n");
}

}  // namespace qmarket

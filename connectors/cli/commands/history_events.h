// The event behind each record of a history.
//
// The ledger's store keeps what followed, not the events: those are in the log, which is opened
// when the first one is asked for. A history of the store alone must still be had where the log is
// away, so what cannot be read is said on stderr, once, and left out.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_HISTORY_EVENTS_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_HISTORY_EVENTS_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"

#include "connectors/cli/commands/query.h"
#include "events/event_log.h"
#include "ledger/store/state.h"
#include "replay/event_lookup.h"

namespace qmarket {

class HistoryEvents {
 public:
  // Of the log that the options name, and that a store in this state was made from. `options` must
  // outlive it.
  HistoryEvents(const QueryOptions& options, StoreState state)
      : options_(options), state_(std::move(state)) {}

  // The event at the offset; none where it cannot be read. Cheapest in growing order.
  [[nodiscard]] std::optional<EventHead> At(std::uint64_t offset);

 private:
  void Open();
  void Report(const absl::Status& status);

  const QueryOptions& options_;
  StoreState state_;
  bool opened_ = false;
  bool reported_ = false;
  std::unique_ptr<EventLog> log_;
  std::optional<EventLookup> lookup_;  // none: the log cannot be read
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_HISTORY_EVENTS_H_

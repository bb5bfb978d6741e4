// The charges of each settlement with the chips that they are for: the rows of a cost report.
//
//   ChargeRows rows;
//   rows.Take(outcome);                                         // all those of an event
//   for (const ChargeRow& row : rows.EndOfEvent(offset)) ...    // some where it settled
//
// One row for each team and resource that was charged, or that held chips without a charge, since
// the settlement before. What was used since the last one is in none yet. Not thread-safe.
#ifndef QMARKET_CONNECTORS_BOOKS_CHARGE_ROWS_H_
#define QMARKET_CONNECTORS_BOOKS_CHARGE_ROWS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "connectors/books/usage_meter.h"
#include "events/outcome.h"

namespace qmarket {

struct ChargeRow {
  std::uint64_t offset = 0;  // of the event that settled
  std::int64_t from_ms = 0;  // included
  std::int64_t to_ms = 0;    // not included
  std::string team;
  std::string resource;
  std::int64_t charged_micros = 0;
  std::int64_t uncollected_micros = 0;  // the price of the chips beyond that
  ChipTime used;
};

class ChargeRows {
 public:
  void Take(const Outcome& outcome);

  // By team and resource.
  [[nodiscard]] std::vector<ChargeRow> EndOfEvent(std::uint64_t offset);

 private:
  struct Charge {
    std::int64_t charged_micros = 0;
    std::int64_t uncollected_micros = 0;
  };

  void TakePosted(const CreditsPosted& posted);

  UsageMeter meter_;
  std::map<TeamResource, Charge> charges_;  // of this event
  std::optional<std::int64_t> settled_ms_;  // by this event
  std::optional<std::int64_t> from_ms_;     // the settlement before, or when chips were first held
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_CHARGE_ROWS_H_

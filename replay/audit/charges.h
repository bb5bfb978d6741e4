// What teams and purses owe, computed again from what is recorded of who held what at which price,
// and held against what was posted (mechanism §6, accrual and settlement).
//
//   Charges charges(accounts, report);
//   charges.Take(offset, outcomes);   // of each offset, in order
//
// It knows nothing of the market: chips and paid chips are those of BidFilled, prices those of
// MarketCleared, and a team's pool is the currency of its account. Exact: micro-credits times
// milliseconds per hour between all changes, rounded down where they are posted, the remainder
// carried. What a market says of all its bids together is held against them, too. Not thread-safe.
#ifndef QMARKET_REPLAY_AUDIT_CHARGES_H_
#define QMARKET_REPLAY_AUDIT_CHARGES_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/int128.h"
#include "events/outcome.h"
#include "replay/audit/accounts.h"
#include "replay/audit/report.h"

namespace qmarket {

class Charges {
 public:
  // Both must outlive this.
  Charges(const AuditAccounts& accounts, AuditReport& report);

  void Take(std::uint64_t offset, absl::Span<const Outcome> outcomes);

 private:
  // Grows at a rate; sums wrap around where records are nonsense, which then shows.
  struct Accrued {
    Uint128 rate = 0;
    Uint128 sum = 0;
    std::int64_t since_ms = 0;

    void SetRate(std::int64_t now_ms, Int128 chips, std::int64_t price);
    Uint128 TakeWhole(std::int64_t now_ms);
    [[nodiscard]] Uint128 At(std::int64_t now_ms) const;
  };

  // What a team holds of a resource.
  struct Line {
    std::string team;
    std::string resource;
    Int128 chips = 0;
    Int128 paid = 0;
    Accrued charge;
  };

  // A pool's part of a resource.
  struct Cell {
    std::string pool;
    std::string resource;
    std::optional<std::int64_t> price;
    std::optional<std::int64_t> reference;
    Int128 chips = 0;
    Int128 paid = 0;
    Accrued outflow;
    std::vector<Line*> lines;
  };

  struct Bid {
    Line* line = nullptr;
    Cell* cell = nullptr;
    std::int64_t chips = 0;
    std::int64_t paid = 0;
  };

  Cell& CellOf(absl::string_view pool, absl::string_view resource);
  Line& LineOf(absl::string_view team, absl::string_view resource, Cell& cell);

  void TakeOutcome(std::uint64_t offset, const CreditsPosted& posted);
  void TakeOutcome(std::uint64_t offset, const MarketCleared& cleared);
  void TakeOutcome(std::uint64_t offset, const BidFilled& filled);

  // Others change nothing here.
  template <typename T>
  void TakeOutcome(std::uint64_t /*offset*/, const T& /*other*/) {}

  void TakeCharge(std::uint64_t offset, const CreditsPosted& posted);
  void TakeChips(std::uint64_t offset, const CreditsPosted& posted);
  static void Compare(AuditCheck& check, std::uint64_t offset, const CreditsPosted& posted,
                      Uint128 due);
  // All that was due at a settlement was posted.
  void CheckSettled(std::uint64_t offset, std::int64_t now_ms);
  void CheckCleared(std::uint64_t offset, const MarketCleared& cleared);
  void CheckQuota(std::uint64_t offset, const QuotaChanged& quota);
  void Wrong(AuditCheck& check, std::uint64_t offset, std::string what);

  const AuditAccounts& accounts_;
  AuditCheck& charges_;
  AuditCheck& chips_;
  AuditCheck& allocations_;
  std::deque<Line> lines_;
  std::deque<Cell> cells_;
  absl::flat_hash_map<std::pair<std::string, std::string>, Line*> line_of_;  // team, resource
  absl::flat_hash_map<std::pair<std::string, std::string>, Cell*> cell_of_;  // pool, resource
  absl::flat_hash_map<std::string, Bid> bids_;                               // that hold chips
  absl::flat_hash_map<std::string, Int128> held_;                            // of a resource
  std::optional<std::int64_t> settled_ms_;  // at this offset something was settled
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_CHARGES_H_

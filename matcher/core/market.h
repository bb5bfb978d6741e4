// The market: a deterministic state machine over events (mechanism §1-§7).
//
//   Market market;
//   Step step = market.Apply(input);   // the outcomes, and what was posted
//
// Apply has no clock, no I/O and no randomness: the same inputs give the same steps on any machine.
// A bad event becomes an EventRejected outcome and changes nothing; a broken invariant stops the
// process. Not thread-safe; a value that owns all its state.
#ifndef QMARKET_MATCHER_CORE_MARKET_H_
#define QMARKET_MATCHER_CORE_MARKET_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"

#include "events/outcome.h"
#include "ledger/core/book.h"
#include "matcher/core/input.h"
#include "matcher/core/view.h"

namespace qmarket {

// The version of the rules in mechanism.md that this core computes. It goes with every stored
// state: old cycles replay under the rules of their day.
inline constexpr std::uint32_t kRulesVersion = 1;

// What one event led to.
struct Step {
  std::vector<Outcome> outcomes;  // their index is their place
  std::vector<Posting> postings;  // in the book's account ids
};

struct MarketState;

class Market {
 public:
  Market();
  Market(Market&&) noexcept;
  Market& operator=(Market&&) noexcept;
  Market(const Market&) = delete;
  Market& operator=(const Market&) = delete;
  ~Market();

  // Offsets must grow from call to call.
  Step Apply(const Input& input);

  // The same market again, on its own: what is applied to one does not show in the other. For
  // questions such as what another event would have led to.
  [[nodiscard]] Market Clone() const;

  // The accounts, balances and currencies. Accounts only ever grow: those from index n on are new
  // since there were n.
  [[nodiscard]] const Book& book() const;

  // Effective time of the last event that was not rejected; none before the first.
  [[nodiscard]] std::optional<std::int64_t> time_ms() const;

  // How many cycles have cleared.
  [[nodiscard]] std::uint64_t cycles() const;

  // The settings now in force (those of the last tick).
  [[nodiscard]] MarketConfigured settings() const;

  // What is, for reports and checks: values, sorted by name. They walk the whole state.
  [[nodiscard]] std::vector<TeamView> Teams() const;
  [[nodiscard]] std::vector<PoolView> Pools() const;
  [[nodiscard]] std::vector<ResourceView> Resources() const;

  // All bids, ended ones too, by id.
  [[nodiscard]] std::vector<BidView> Bids() const;

 private:
  std::unique_ptr<MarketState> state_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_MARKET_H_

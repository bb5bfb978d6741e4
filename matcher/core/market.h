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
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/outcome.h"
#include "ledger/core/book.h"
#include "matcher/core/book_view.h"
#include "matcher/core/image.h"
#include "matcher/core/input.h"
#include "matcher/core/view.h"

namespace qmarket {

// The newest version of the rules in mechanism.md that this core computes. It knows all before it,
// too: which one a cycle follows is a setting of the market (MarketConfigured), so old cycles
// replay under the rules of their day.
inline constexpr std::uint32_t kRulesVersion = kNewestRulesVersion;

// What one event led to.
struct Step {
  std::vector<Outcome> outcomes;  // their index is their place
  std::vector<Posting> postings;  // in the book's account ids

  // Whether the event was rejected: then that is its only outcome, and nothing has changed.
  [[nodiscard]] bool rejected() const;
};

class KnownEvents;
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

  // The same market again, on its own, for trying out what other events would have led to. It has
  // forgotten the ids of the events before: none is a duplicate of them.
  [[nodiscard]] Market CloneForTrial() const;

  // The market as bytes (image.h), and back.
  [[nodiscard]] ImageMark image_mark() const;
  [[nodiscard]] std::string PresentImage() const;
  [[nodiscard]] std::string PastImage(const ImageMark& since) const;
  static absl::StatusOr<Market> FromImage(absl::Span<const absl::string_view> past,
                                          absl::string_view present);

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

  // Of one alone; none where there is none of that name.
  [[nodiscard]] std::optional<TeamView> FindTeam(const std::string& name) const;
  [[nodiscard]] std::optional<PoolView> FindPool(const std::string& name) const;
  [[nodiscard]] std::optional<ResourceView> FindResource(const std::string& name) const;
  [[nodiscard]] std::optional<BidView> FindBid(const std::string& name) const;

  // What the last cycle planned and filled: a team's queue; all units on a resource, the highest
  // reservation price first. Empty where there is none of that name.
  [[nodiscard]] QueueView QueueOf(const std::string& team) const;
  [[nodiscard]] std::vector<UnitRunView> OrderBook(const std::string& resource) const;

  // What the next tick puts in force for a bid; none where there is none of that name.
  [[nodiscard]] std::optional<StatedView> StatedFor(const std::string& bid) const;

 private:
  std::unique_ptr<MarketState> state_;
  std::unique_ptr<KnownEvents> known_events_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_MARKET_H_

// Why a bid did or did not run at a cycle, as plain values (mechanism §3-§5).
//
// Made by ExplainBid (explain.h). "Runs" means: the bid pays for at least its first unit. Of an
// opportunistic bid, which never pays, it means: it holds chips. Amounts are micro-credits, prices
// micro-credits per chip-hour, times milliseconds since the epoch.
#ifndef QMARKET_REPLAY_EXPLANATION_H_
#define QMARKET_REPLAY_EXPLANATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matcher/core/book_view.h"
#include "matcher/core/view.h"

namespace qmarket {

// What the bid is at the moment asked about, as the cycle before it left it.
enum class Verdict : std::uint8_t {
  kRunning,      // it pays for chips
  kUnpaid,       // it holds chips and pays for none
  kWaiting,      // it holds none
  kSetAside,     // it holds none, and needs more chips than there are
  kPreempted,    // that cycle took all its chips
  kTaken,        // the fleet took all its chips since that cycle
  kEnded,        // it was withdrawn
  kPlacedSince,  // it was placed after that cycle, or there was none yet: the next one looks at it
  kNotPlaced,    // it is placed later
};

// "running", "unpaid", ..., "placed_since".
[[nodiscard]] const char* VerdictName(Verdict verdict);

// What keeps a bid from running: the constraint that binds.
enum class Binding : std::uint8_t {
  kNothing,        // it runs
  kNoSupply,       // nobody has chips of the resource
  kTooLarge,       // it needs more chips than its pool can get: set aside (§4)
  kNoRate,         // its pool has no exchange rate: all its offers count nothing (§1)
  kNoBudget,       // its team has neither income nor balance
  kLimit,          // the price is above its limit price, which is less than its team could offer
  kBudget,         // its team cannot offer the price for this bid, even if it came first
  kQueue,          // its team could, but for what it puts before it
  kTie,            // it offered just the price, and other bids came first or it does not fit
  kDisplaced,      // it offered more than the price, and a large gang took its place (§5.3)
  kGaveUp,         // it was filled, and its team gave it up at the budget check (§5.4)
  kNothingUnpaid,  // it is opportunistic, and too few unpaid chips were left for it
};

// "nothing", "no_supply", ...
[[nodiscard]] const char* BindingName(Binding binding);

// What a counterfactual changes just before the tick, and nothing else.
enum class Lever : std::uint8_t {
  kLimit,         // the bid's limit price
  kIncome,        // its team's income
  kSharedSupply,  // shared chips of the resource
  kOwnedSupply,   // chips of the resource that the bid's pool owns
};

// "limit_price", "income", "shared_supply", "owned_supply".
[[nodiscard]] const char* LeverName(Lever lever);

// No limit price: as a value it lies one above the highest that can be stated.
inline constexpr std::int64_t kNoLimit = 1'000'000'000'001;

// A claim, proven by clearing: the same tick on the same market, with one event more before it.
struct Counterfactual {
  enum class Answer : std::uint8_t {
    kFrom,   // it runs at `enough`, and does not at one less
    kAny,    // it runs as things are, and at every lower value that was tried, down to `lowest`
    kNone,   // it does not run as things are, nor at any higher value tried, up to `highest`
    kUnset,  // the value is the highest there is already: nothing to try
  };

  Lever lever = Lever::kLimit;
  std::int64_t recorded = 0;  // what it was
  std::int64_t lowest = 0;    // the range of the contract
  std::int64_t highest = 0;
  Answer answer = Answer::kUnset;
  std::int64_t enough = 0;   // where answer is kFrom
  std::int64_t cleared = 0;  // how often the market was cleared for it
};

// "from", "any", "none", "unset".
[[nodiscard]] const char* AnswerName(Counterfactual::Answer answer);

// Chips that a bid lost.
struct Loss {
  std::uint64_t offset = 0;
  std::int64_t time_ms = 0;
  std::int64_t lost = 0;
  std::int64_t left = 0;
  std::string reason;

  friend bool operator==(const Loss&, const Loss&) = default;
};

// Chips that another bid of the resource won at the cycle.
struct Gain {
  std::string bid;
  std::string team;
  std::int64_t chips = 0;  // more than before
  std::int64_t paid = 0;   // of what it holds now

  friend bool operator==(const Gain&, const Gain&) = default;
};

// A bid of the same team that stands before this one.
struct QueuedBefore {
  std::string bid;
  std::string resource;
  std::int64_t chips = 0;   // before it
  std::int64_t filled = 0;  // of them

  friend bool operator==(const QueuedBefore&, const QueuedBefore&) = default;
};

// Where the bid stands in its team's queue.
struct QueuePlace {
  std::int64_t place = 0;            // from 1, by priority, running, and log (§3.2)
  std::int64_t bids = 0;             // in the queue
  std::vector<QueuedBefore> before;  // in the order of §3.4
};

// What was there for a bid that offers just its pool's price, when its turn came (§5.2).
struct TurnView {
  std::int64_t left = 0;  // chips that were free for it
  std::int64_t room = 0;  // chips that its pool could add and pay no more than that price
};

// What the cycle looked like to the bid. `bid` is as the cycle left it.
struct CycleView {
  std::uint64_t offset = 0;
  std::int64_t time_ms = 0;
  BidView before;  // just before the cycle
  BidView bid;
  TeamView team;
  PoolView pool;
  ResourceView resource;
  ResourcePoolView cell;                         // its pool's part of the resource
  std::int64_t shared_supply = 0;                // Z': shared and lent chips
  std::int64_t free_chips = 0;                   // that its pool could still have paid for
  std::int64_t lent = 0;                         // by all pools together
  std::int64_t lent_before = 0;                  // of the cycle before
  std::int64_t supply_before = 0;                // likewise
  std::optional<TurnView> turn;                  // none where it does not offer just the price
  std::optional<std::int64_t> price_before;      // local, of the cycle before
  std::optional<UnitRunView> unit;               // its first; none where it is not in the queue
  QueuePlace queue;                              // empty likewise
  std::optional<UnitRunView> competitor;         // the marginal one, see explain.h
  std::int64_t competitor_reference_micros = 0;  // rho_ref of its unit in question
  ResourcePoolView competitor_cell;              // its pool's part; empty where there is none
  bool gave_up = false;                          // its team, units at the budget check
};

struct Explanation {
  std::string bid;
  Verdict verdict = Verdict::kPlacedSince;
  Binding binding = Binding::kNothing;
  BidView now;                     // at the moment asked about
  bool amended_since = false;      // after the cycle: counts at the next one
  std::optional<CycleView> cycle;  // none where no cycle looked at it, or it has ended
  std::vector<Counterfactual> counterfactuals;
  std::optional<Loss> loss;  // all chips at the cycle, or any to the fleet since
  std::vector<Gain> gains;   // who won chips, where the cycle took all of its chips
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_EXPLANATION_H_

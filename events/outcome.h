// What followed: the outcomes of applying one event, as plain values.
//
// Each outcome belongs to the input offset that caused it and has an index under that offset (its
// place in the vector that the market returns). Units are part of the names. The canonical bytes of
// outcomes, which the digest chain covers, are in outcome_codec.h.
#ifndef QMARKET_EVENTS_OUTCOME_H_
#define QMARKET_EVENTS_OUTCOME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace qmarket {

// Why an event was rejected. The order is the contract's precedence: the first that applies is
// given. Values are part of the stored format: append only.
enum class RejectionCode : std::uint8_t {
  kMalformed = 0,
  kDuplicate = 1,
  kIdReused = 2,
  kOutOfRange = 3,
  kTimeInFuture = 4,
  kUnknownPool = 5,
  kUnknownTeam = 6,
  kUnknownBid = 7,
  kBidExists = 8,
  kBidEnded = 9,
  kMinExceedsChips = 10,
  kPoolIsFixed = 11,
  kSameTeam = 12,
  kDifferentPools = 13,
  kInsufficientCredits = 14,
  kHoldsNoChips = 15,
};

// The contract's word for a code, e.g. "time_in_future".
[[nodiscard]] const char* RejectionCodeName(RejectionCode code);

// One pool's part of a clearing (mechanism §4).
struct PoolCleared {
  std::string pool;
  std::optional<std::int64_t> price_micros;            // local, what its teams pay
  std::optional<std::int64_t> reference_price_micros;  // x_k, what the purse pays
  std::int64_t owned = 0;
  std::int64_t lent = 0;
  std::int64_t paid = 0;       // chips filled at the price
  std::int64_t allocated = 0;  // paid and unpaid chips

  friend bool operator==(const PoolCleared&, const PoolCleared&) = default;
};

// A resource was cleared. Given for every resource with supply or standing bids at every cycle; it
// renews all quotas of the resource.
struct MarketCleared {
  std::string resource;
  std::uint64_t cycle = 0;
  std::int64_t time_ms = 0;
  std::optional<std::int64_t> reference_price_micros;
  std::int64_t supply = 0;         // of all owners together
  std::int64_t shared_supply = 0;  // Z'
  std::int64_t allocated = 0;
  std::vector<PoolCleared> pools;  // of those with chips or bids, in name order

  friend bool operator==(const MarketCleared&, const MarketCleared&) = default;
};

// A team's chips of a resource changed (mechanism §5, §7).
struct QuotaChanged {
  std::string team;
  std::string resource;
  std::int64_t chips = 0;
  std::uint64_t cycle = 0;
  std::int64_t time_ms = 0;
  std::int64_t valid_until_ms = 0;  // unless a later MarketCleared of the resource renews it

  friend bool operator==(const QuotaChanged&, const QuotaChanged&) = default;
};

// What a bid holds changed.
struct BidFilled {
  std::string bid;
  std::string team;
  std::string resource;
  std::int64_t chips = 0;  // all it holds now
  std::int64_t paid = 0;   // of them at the price
  std::int64_t time_ms = 0;

  friend bool operator==(const BidFilled&, const BidFilled&) = default;
};

// A bid lost chips that it did not give up: all of them at a cycle, or some or all to the fleet
// (ChipsPreempted).
struct BidPreempted {
  std::string bid;
  std::string team;
  std::string resource;
  std::int64_t lost = 0;
  std::int64_t chips = 0;  // what it still holds
  std::string reason;      // reclaimed, limit, over_budget, supply_lost, outbid, or the fleet's
  std::int64_t time_ms = 0;

  friend bool operator==(const BidPreempted&, const BidPreempted&) = default;
};

// What a movement of credits was for. Values are part of the stored format: append only.
enum class PostingKind : std::uint8_t {
  kIncome = 0,
  kCharge = 1,
  kGrant = 2,
  kClawback = 3,
  kTransfer = 4,
  kWeight = 5,  // issue -> purse
  kChips = 6,   // purse -> sold
  kLapse = 7,   // purse -> issue
};

[[nodiscard]] const char* PostingKindName(PostingKind kind);

// Whether such a movement is made at settlements alone (mechanism §6).
[[nodiscard]] bool IsOfSettlement(PostingKind kind);

// One double-entry movement (mechanism §6). A charge that could not be collected in full says how
// much was not.
struct CreditsPosted {
  PostingKind kind = PostingKind::kIncome;
  std::string currency;  // the pool's name; empty: reference credits
  std::string from;      // accounts, e.g. "team:vision"
  std::string to;
  std::int64_t amount_micros = 0;
  std::int64_t uncollected_micros = 0;
  std::int64_t time_ms = 0;

  friend bool operator==(const CreditsPosted&, const CreditsPosted&) = default;
};

// An event changed nothing, and why.
struct EventRejected {
  std::string event_id;  // empty where the bytes were no event
  RejectionCode code = RejectionCode::kMalformed;
  std::string message;

  friend bool operator==(const EventRejected&, const EventRejected&) = default;
};

// An event took effect later than it claims (mechanism §6).
struct EventLate {
  std::string event_id;
  std::int64_t claimed_ms = 0;
  std::int64_t effective_ms = 0;

  friend bool operator==(const EventLate&, const EventLate&) = default;
};

// The order is that of the union in outcomes.fbs and of the canonical bytes: append only.
using Outcome = std::variant<MarketCleared, QuotaChanged, BidFilled, BidPreempted, CreditsPosted,
                             EventRejected, EventLate>;

}  // namespace qmarket

#endif  // QMARKET_EVENTS_OUTCOME_H_

#include "tests/matcher/random_log.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "tests/matcher/inputs.h"
#include "tests/matcher/values.h"

namespace qmarket {

namespace {

constexpr std::int64_t kCredit = 1'000'000;
constexpr std::uint32_t kPools = 3;
constexpr std::uint32_t kTeams = 6;
constexpr std::uint32_t kResources = 3;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::vector<Input> Make(std::size_t events) {
    Begin();
    while (log_.size() < events)
      Next();
    return std::move(log_);
  }

 private:
  std::uint32_t Below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  bool Chance(std::uint32_t percent) { return Below(100) < percent; }

  std::int64_t Micros(std::uint32_t most_credits) {
    // Coarse amounts make ties, fine ones roundings.
    return Chance(50)
               ? Below(most_credits + 1) * kCredit
               : static_cast<std::int64_t>(random_() % (most_credits * std::uint64_t{kCredit} + 1));
  }

  // Sometimes a name that nobody knows.
  std::string Name(const char* kind, std::uint32_t n) {
    return absl::StrCat(kind, Chance(1) ? n : Below(n));
  }

  std::string Team() { return Name("team-", kTeams); }

  std::string Resource() { return absl::StrCat("chip-", Below(kResources)); }

  std::string Bid() { return Name("bid-", bids_ == 0 ? 1 : bids_); }

  void Add(Payload payload) {
    Event event;
    event.event_id = absl::StrCat("event-", log_.size());
    event.time_ms = now_ - (Chance(2) ? Below(100'000) : 0);
    event.payload = std::move(payload);
    log_.push_back(InputOf(std::move(event), log_.size()));
  }

  void Begin() {
    for (std::uint32_t pool = 0; pool < kPools; ++pool) {
      Add(PoolConfigured{.pool = absl::StrCat("pool-", pool),
                         .market_weight_micros_per_hour = Micros(100),
                         .lend_idle = !Chance(25)});
    }
    for (std::uint32_t team = 0; team < kTeams; ++team)
      Add(TeamOf(team));
    for (std::uint32_t i = 0; i < kResources; ++i)
      Add(Supply());
  }

  TeamConfigured TeamOf(std::uint32_t team) {
    return {.team = absl::StrCat("team-", team),
            .pool = absl::StrCat("pool-", Chance(2) ? 0 : team % kPools),
            .income_micros_per_hour = Micros(60),
            .income_leverage_percent = Chance(15) ? 50 + Below(400) : 0};
  }

  SupplyChanged Supply() {
    return {.resource = Resource(),
            .owner = Chance(50) ? "" : Name("pool-", kPools),
            .chips = Chance(15) ? 0 : Below(24),
            .reason = ""};
  }

  BidPlaced NewBid() {
    BidPlaced bid{.bid = Chance(2) ? Bid() : absl::StrCat("bid-", bids_++),
                  .team = Team(),
                  .resource = Resource(),
                  .chips = 1 + Below(Chance(20) ? 24 : 8)};
    if (Chance(50)) bid.min_chips = Below(bid.chips + (Chance(3) ? 3 : 1));
    if (Chance(40)) bid.limit_price_micros = Micros(12);
    if (Chance(30)) bid.priority = static_cast<std::int32_t>(Below(5)) - 2;
    bid.opportunistic = Chance(15);
    bid.standby = !Chance(25);
    return bid;
  }

  BidAmended Amendment() {
    BidAmended bid;
    bid.bid = Bid();
    if (Chance(40)) bid.chips = 1 + Below(12);
    if (Chance(25)) bid.min_chips = 1 + Below(6);
    if (Chance(40)) bid.limit_price_micros = Chance(30) ? -1 : Micros(12);
    if (Chance(20)) bid.priority = static_cast<std::int32_t>(Below(5)) - 2;
    if (Chance(20)) bid.standby = Chance(50);
    return bid;
  }

  MarketConfigured Settings() {
    MarketConfigured market;
    market.entry_margin_percent = Below(60);
    market.purse_hours = 1 + Below(3);
    market.settlement_ms = std::int64_t{60'000} * (1 + Below(6));
    market.keep_affordable_ms = 900'000 + Below(1'800'000);
    market.min_affordable_ms = market.keep_affordable_ms + Below(7'200'000);
    return market;
  }

  BudgetGranted Grant() {
    const std::int64_t amount = Micros(40);
    return {.team = Team(), .amount_micros = Chance(30) ? -amount : amount, .memo = ""};
  }

  void AddOne() {
    const std::uint32_t kind = Below(100);
    if (kind < 24) return Add(NewBid());
    if (kind < 34) return Add(Amendment());
    if (kind < 42) return Add(BidWithdrawn{.bid = Bid(), .reason = "finished"});
    if (kind < 46)
      return Add(ChipsPreempted{.bid = Bid(), .chips = 1 + Below(6), .reason = "node"});
    if (kind < 51) return Add(Grant());
    if (kind < 54) {
      return Add(CreditsTransferred{
          .from_team = Team(), .to_team = Team(), .amount_micros = Micros(5), .memo = ""});
    }
    if (kind < 60) return Add(Supply());
    if (kind < 62) return Add(TeamOf(Below(kTeams)));
    if (kind < 64) {
      return Add(PoolConfigured{.pool = absl::StrCat("pool-", Below(kPools)),
                                .market_weight_micros_per_hour = Chance(20) ? 0 : Micros(100),
                                .lend_idle = !Chance(25)});
    }
    if (kind < 65) return Add(Settings());
    if (kind < 67) return Repeat();
    Add(ClockTicked{});
  }

  // A known id, with the same content or other.
  void Repeat() {
    Input input = log_[Below(static_cast<std::uint32_t>(log_.size()))];
    Event event = std::get<Event>(input.event);
    if (Chance(50)) event.payload = ClockTicked{};
    log_.push_back(InputOf(std::move(event), log_.size()));
  }

  void Next() {
    const std::uint32_t pace = Below(100);
    now_ += pace < 70 ? Below(60'000) : (pace < 98 ? Below(600'000) : Below(7'200'000));
    AddOne();
  }

  std::mt19937_64 random_;
  std::int64_t now_ = kDayStartMs;
  std::uint32_t bids_ = 0;
  std::vector<Input> log_;
};

}  // namespace

std::vector<Input> RandomLog(std::uint64_t seed, std::size_t events) {
  return Generator(seed).Make(events);
}

std::uint64_t TestSeed() {
  std::uint64_t seed = 0;
  const char* given = std::getenv("QMARKET_SEED");
  if (given != nullptr && absl::SimpleAtoi(given, &seed)) return seed;
  return std::random_device{}();
}

}  // namespace qmarket

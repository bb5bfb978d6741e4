#include "tests/workload/workload.h"

#include <algorithm>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace qmarket {

namespace {

constexpr std::int64_t kStartMs = 1'767'225'600'000;
constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kCredit = 1'000'000;

class Workload {
 public:
  Workload(const WorkloadSize& size, const std::function<void(const Event&)>& give)
      : size_(size), give_(give), random_(size.seed) {}

  void Make() {
    Configure();
    const std::uint64_t left = size_.events - given_;
    for (std::uint64_t tick = 0; tick < size_.ticks; ++tick) {
      const std::uint64_t until = left * (tick + 1) / size_.ticks;
      const std::uint64_t bids = size_.bids * (tick + 1) / size_.ticks;
      MakeMinute(tick, size_.events - left + until, bids);
    }
  }

 private:
  std::uint64_t Below(std::uint64_t bound) { return random_() % bound; }

  void Give(std::int64_t time_ms, Payload payload) {
    give_({.event_id = absl::StrCat("w", given_),
           .time_ms = time_ms,
           .actor = "generator",
           .source = "workload",
           .payload = std::move(payload)});
    ++given_;
  }

  std::string Team(std::uint64_t i) const { return absl::StrCat("team-", i); }

  std::string Pool(std::uint64_t i) const { return absl::StrCat("pool-", i % size_.pools); }

  std::string Resource(std::uint64_t i) const { return absl::StrCat("chip-", i); }

  void Configure() {
    for (std::uint64_t k = 0; k < size_.pools; ++k) {
      Give(kStartMs, PoolConfigured{.pool = Pool(k),
                                    .market_weight_micros_per_hour =
                                        static_cast<std::int64_t>(1'000 + 100 * k) * kCredit});
    }
    for (std::uint64_t i = 0; i < size_.teams; ++i) {
      Give(kStartMs, TeamConfigured{.team = Team(i),
                                    .pool = Pool(i),
                                    .income_micros_per_hour =
                                        static_cast<std::int64_t>(10 + i % 50) * kCredit});
    }
    for (std::uint64_t r = 0; r < size_.resources; ++r) {
      Give(kStartMs, SupplyChanged{.resource = Resource(r),
                                   .owner = "",
                                   .chips = static_cast<std::uint32_t>(2'000 + 500 * r),
                                   .reason = ""});
      for (std::uint64_t k = 0; k < size_.pools; k += 3) {
        Give(kStartMs, SupplyChanged{.resource = Resource(r),
                                     .owner = Pool(k),
                                     .chips = static_cast<std::uint32_t>(64 + 8 * k),
                                     .reason = ""});
      }
    }
  }

  // The minute's bids are placed, those whose time is over go, and other events fill it up.
  void MakeMinute(std::uint64_t tick, std::uint64_t until, std::uint64_t bids) {
    const std::int64_t start = kStartMs + static_cast<std::int64_t>(tick) * kMinuteMs;
    const std::uint64_t first = given_;
    const auto now = [&] {
      const auto done = static_cast<std::int64_t>(given_ - first);
      const auto all = static_cast<std::int64_t>(std::max<std::uint64_t>(until - first, 1));
      return start + kMinuteMs * done / (all + 1);
    };
    while (placed_ < bids)
      PlaceBid(tick, now());
    while (!ends_.empty() && ends_.top().first <= tick && given_ + 1 < until) {
      const std::uint64_t bid = ends_.top().second;
      ends_.pop();
      std::erase(standing_, bid);
      Give(now(), BidWithdrawn{.bid = absl::StrCat("bid-", bid), .reason = "finished"});
    }
    while (given_ + 1 < until)
      MakeOther(now());
    Give(start + kMinuteMs, ClockTicked{});
  }

  void PlaceBid(std::uint64_t tick, std::int64_t time_ms) {
    static constexpr std::uint32_t kSizes[] = {1, 1, 1, 1, 2, 4, 8, 8, 16, 64};
    BidPlaced bid{.bid = absl::StrCat("bid-", placed_),
                  .team = Team(Below(size_.teams)),
                  .resource = Resource(Below(size_.resources)),
                  .chips = kSizes[Below(std::size(kSizes))],
                  .priority = static_cast<std::int32_t>(Below(4))};
    if (Below(10) == 0) bid.min_chips = std::max<std::uint32_t>(bid.chips / 4, 1);
    if (Below(4) == 0) bid.limit_price_micros = static_cast<std::int64_t>(1 + Below(20)) * kCredit;
    bid.opportunistic = Below(20) == 0;
    standing_.push_back(placed_);
    const std::uint64_t stands = 1 + Below(2 * size_.mean_bid_minutes);
    ends_.emplace(tick + stands, placed_);
    ++placed_;
    Give(time_ms, bid);
  }

  void MakeOther(std::int64_t time_ms) {
    const std::uint64_t kind = Below(100);
    if (kind < 70 && !standing_.empty()) {
      Give(time_ms, UsageReported{.bid = absl::StrCat("bid-", AnyStanding()),
                                  .team = "",
                                  .resource = "",
                                  .chips_in_use = static_cast<std::uint32_t>(Below(64)),
                                  .from_ms = time_ms - kMinuteMs,
                                  .to_ms = time_ms});
    } else if (kind < 90 && !standing_.empty()) {
      BidAmended amended;
      amended.bid = absl::StrCat("bid-", AnyStanding());
      if (Below(2) == 0) {
        amended.priority = static_cast<std::int32_t>(Below(4));
      } else {
        amended.limit_price_micros = static_cast<std::int64_t>(1 + Below(20)) * kCredit;
      }
      Give(time_ms, amended);
    } else if (kind < 96) {
      Give(time_ms,
           BudgetGranted{.team = Team(Below(size_.teams)),
                         .amount_micros = static_cast<std::int64_t>(1 + Below(20)) * kCredit,
                         .memo = "top-up"});
    } else if (kind < 99) {
      const std::uint64_t from = Below(size_.teams);
      Give(time_ms, CreditsTransferred{.from_team = Team(from),
                                       .to_team = Team((from + size_.pools) % size_.teams),
                                       .amount_micros = kCredit,
                                       .memo = ""});
    } else if (!standing_.empty()) {
      Give(time_ms,
           ChipsPreempted{
               .bid = absl::StrCat("bid-", AnyStanding()), .chips = 1, .reason = "node_failure"});
    }
  }

  std::uint64_t AnyStanding() { return standing_[Below(standing_.size())]; }

  using End = std::pair<std::uint64_t, std::uint64_t>;  // tick, bid

  const WorkloadSize& size_;
  const std::function<void(const Event&)>& give_;
  std::mt19937_64 random_;
  std::uint64_t given_ = 0;
  std::uint64_t placed_ = 0;
  std::vector<std::uint64_t> standing_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace

void MakeWorkload(const WorkloadSize& size, const std::function<void(const Event&)>& give) {
  Workload(size, give).Make();
}

}  // namespace qmarket

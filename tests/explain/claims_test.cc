// Explains bids of the simulated ten days, drawn at random, and confirms every claim.
//
// QMARKET_EXPLAIN_BIDS is how many (250), QMARKET_EXPLAIN_SEED the seed, of which one is drawn
// and printed where it is not given.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "replay/explain.h"
#include "tests/explain/claim_check.h"
#include "tests/explain/ten_days.h"

namespace qmarket {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// A bid to explain at a tick; where none is named, one that does not run then.
using Draws = std::multimap<std::uint64_t, std::optional<std::string>>;

bool IsTick(const Input& input) {
  return std::holds_alternative<ClockTicked>(std::get<Event>(input.event).payload);
}

// Half of them any bid at any tick of its life, a third one that does not run at any tick, the rest
// one that was preempted then.
Draws Draw(const TenDays& days, std::uint64_t count, std::mt19937_64& random) {
  const std::vector<Input>& inputs = days.inputs;

  struct Life {
    std::string bid;
    std::uint64_t placed = 0;
    std::uint64_t ended = 0;
  };

  std::vector<std::uint64_t> ticks;
  std::vector<Life> lives;
  std::map<std::string, std::size_t> of_bid;
  for (const Input& input : inputs) {
    const Payload& payload = std::get<Event>(input.event).payload;
    if (IsTick(input)) ticks.push_back(input.offset);
    if (const auto* placed = std::get_if<BidPlaced>(&payload)) {
      of_bid[placed->bid] = lives.size();
      lives.push_back({placed->bid, input.offset, inputs.size()});
    } else if (const auto* withdrawn = std::get_if<BidWithdrawn>(&payload)) {
      lives[of_bid.at(withdrawn->bid)].ended = input.offset;
    }
  }
  const auto below = [&random](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  Draws draws;
  while (draws.size() < count) {
    const std::size_t kind = below(6);
    if (kind == 0) {
      const PreemptedAt& lost = days.preempted[below(days.preempted.size())];
      draws.emplace(lost.offset, lost.bid);
      continue;
    }
    if (kind <= 2) {
      draws.emplace(ticks[below(ticks.size())], std::nullopt);
      continue;
    }
    const Life& life = lives[below(lives.size())];
    const auto from = std::ranges::lower_bound(ticks, life.placed);
    const auto to = std::ranges::lower_bound(ticks, life.ended);
    if (from == to) continue;  // it came and went between two ticks
    draws.emplace(from[static_cast<std::ptrdiff_t>(below(static_cast<std::size_t>(to - from)))],
                  life.bid);
  }
  return draws;
}

// A bid that does not run after the tick, though it would pay; none where all run.
std::optional<std::string> DrawOneThatDoesNotRun(const Market& before, const Input& tick,
                                                 std::mt19937_64& random) {
  Market after = before.CloneForTrial();
  after.Apply(tick);
  std::vector<std::string> names;
  for (const BidView& bid : after.Bids()) {
    if (bid.opportunistic) continue;
    if (bid.state == BidState::kWaiting || bid.state == BidState::kUnpaid) names.push_back(bid.bid);
  }
  if (names.empty()) return std::nullopt;
  return names[std::uniform_int_distribution<std::size_t>(0, names.size() - 1)(random)];
}

TEST(ExplainClaims, OfRandomBidsOfTheTenDaysAreConfirmedByClearing) {
  const std::uint64_t count = FromEnvironment("QMARKET_EXPLAIN_BIDS", 250);
  const std::uint64_t seed = FromEnvironment("QMARKET_EXPLAIN_SEED", std::random_device{}());
  std::cout << "QMARKET_EXPLAIN_SEED=" << seed << ", " << count << " bids\n";
  std::mt19937_64 random(seed);
  const TenDays days = SimulateTenDays(1);
  const Draws draws = Draw(days, count, random);

  Market market;
  ClaimTally tally;
  std::map<std::string, int> verdicts;
  std::map<std::string, int> bindings;
  std::int64_t cleared = 0;
  int owed = 0;  // bids that do not run, not drawn yet
  Clock::duration explaining{};
  Clock::duration longest{};
  for (const Input& input : days.inputs) {
    std::vector<Explanation> explained;
    std::vector<std::string> bids;
    for (auto [draw, end] = draws.equal_range(input.offset); draw != end; ++draw) {
      if (draw->second.has_value()) bids.push_back(*draw->second);
      if (!draw->second.has_value()) ++owed;
    }
    // Where all run, at a later tick.
    while (owed > 0 && IsTick(input)) {
      const std::optional<std::string> bid = DrawOneThatDoesNotRun(market, input, random);
      if (!bid.has_value()) break;
      bids.push_back(*bid);
      --owed;
    }
    for (const std::string& bid : bids) {
      const Clock::time_point start = Clock::now();
      explained.push_back(ExplainBid(market, input, bid));
      explaining += Clock::now() - start;
      longest = std::max(longest, Clock::now() - start);
      CheckClaims(market, input, explained.back(), tally);
    }
    market.Apply(input);
    for (const Explanation& explanation : explained) {
      CheckFacts(market, explanation, tally);
      ++verdicts[VerdictName(explanation.verdict)];
      ++bindings[BindingName(explanation.binding)];
      for (const Counterfactual& claim : explanation.counterfactuals)
        cleared += claim.cleared;
    }
  }

  const auto print = [](const char* title, const std::map<std::string, int>& counts) {
    std::cout << title << ":";
    for (const auto& [name, times] : counts)
      std::cout << "  " << name << " " << times;
    std::cout << "\n";
  };
  print("verdicts", verdicts);
  print("binding constraints", bindings);
  print("claims confirmed", tally.confirmed);
  const auto ms = [](Clock::duration time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  };
  std::cout << "explained in " << ms(explaining) << " ms with " << cleared
            << " clearings, the longest in " << ms(longest) << " ms\n";
  for (const std::string& wrong : tally.wrong)
    ADD_FAILURE() << wrong;
  EXPECT_EQ(owed, 0);
  EXPECT_GE(verdicts.size(), 2U);
  EXPECT_GE(tally.confirmed.size(), 4U);
}

}  // namespace
}  // namespace qmarket

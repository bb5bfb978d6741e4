// Explains bids of random logs of a small market, in which much is odd: confirms every claim, and
// tells each answer in every format.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connectors/cli/commands/explain_answer.h"
#include "replay/explain.h"
#include "tests/explain/claim_check.h"
#include "tests/matcher/random_log.h"

namespace qmarket {
namespace {

using ::testing::IsEmpty;

constexpr int kLogs = 20;
constexpr std::size_t kEvents = 400;

bool WasRejected(const Step& step) {
  return std::ranges::any_of(step.outcomes, [](const Outcome& outcome) {
    return std::holds_alternative<EventRejected>(outcome);
  });
}

bool IsTick(const Input& input) {
  const Event* event = std::get_if<Event>(&input.event);
  return event != nullptr && std::holds_alternative<ClockTicked>(event->payload);
}

// To a descriptor that forgets it.
class Teller {
 public:
  Teller() : descriptor_(::open("/dev/null", O_WRONLY | O_CLOEXEC)) {}

  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

  ~Teller() { ::close(descriptor_); }

  void Tell(const Explanation& explanation) const {
    const ExplainAnswer answer{.offset = 0,
                               .time_ms = 0,
                               .explanation = explanation,
                               .last_loss = explanation.loss,
                               .placed = std::nullopt,
                               .withdrawn = std::nullopt};
    for (const std::string& sentence : Sentences(answer)) {
      EXPECT_FALSE(sentence.empty());
      EXPECT_EQ(sentence.back(), '.') << sentence;
    }
    Output out(descriptor_);
    PrintExplainPage(answer, out);
    PrintExplainJson(answer, out);
    PrintExplainCsv(answer, out);
    EXPECT_TRUE(out.Flush().ok());
  }

 private:
  int descriptor_;
};

TEST(ExplainRandomLogs, ClaimsAreConfirmedAndAnswersTold) {
  const std::uint64_t seed = TestSeed();
  const Teller teller;
  ClaimTally tally;
  std::set<std::string> bindings;
  for (std::uint64_t i = 0; i < kLogs; ++i) {
    SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed + i));
    std::mt19937_64 random(seed + i);
    Market market;
    for (const Input& input : RandomLog(seed + i, kEvents)) {
      const Market before = market.CloneForTrial();
      if (WasRejected(market.Apply(input)) || !IsTick(input)) continue;
      std::vector<BidView> bids = market.Bids();
      std::erase_if(bids, [](const BidView& bid) { return bid.state == BidState::kEnded; });
      if (bids.empty()) continue;
      const std::string bid = bids[random() % bids.size()].bid;
      const Explanation explanation = ExplainBid(before, input, bid);
      CheckFacts(market, explanation, tally);
      CheckClaims(before, input, explanation, tally);
      teller.Tell(explanation);
      bindings.insert(BindingName(explanation.binding));
    }
    EXPECT_THAT(tally.wrong, IsEmpty());
  }
  for (const auto& [name, times] : tally.confirmed)
    std::cout << name << " " << times << "  ";
  std::cout << "\n";
  EXPECT_GE(bindings.size(), 5U);
}

}  // namespace
}  // namespace qmarket

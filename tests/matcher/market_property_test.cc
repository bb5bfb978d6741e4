// What holds of the market whatever happens: random logs, checked after every event.

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "events/outcome.h"
#include "matcher/core/effects.h"
#include "matcher/core/fills.h"
#include "matcher/core/market.h"
#include "matcher/core/market_state.h"
#include "tests/matcher/facts.h"
#include "tests/matcher/invariants.h"
#include "tests/matcher/random_log.h"

namespace qmarket {
namespace {

constexpr std::size_t kEvents = 150;
constexpr std::uint64_t kLogs = 60;

bool IsRejected(const Step& step) {
  return std::ranges::any_of(step.outcomes, [](const Outcome& outcome) {
    return std::holds_alternative<EventRejected>(outcome);
  });
}

bool IsTick(const Input& input) {
  return std::holds_alternative<ClockTicked>(std::get<Event>(input.event).payload);
}

std::string TextOf(const std::vector<Table>& tables) {
  std::string text;
  for (const Table& table : tables)
    text += ToText(table);
  return text;
}

class MarketPropertyTest : public testing::Test {
 protected:
  // Calls `check` with some random logs; stops at the first failure. QMARKET_SEED repeats one.
  template <typename Check>
  void ForRandomLogs(Check check) const {
    for (std::uint64_t i = 0; i < kLogs && !HasFailure(); ++i) {
      SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed_ + i));
      check(RandomLog(seed_ + i, kEvents));
    }
  }

 private:
  std::uint64_t seed_ = TestSeed();
};

TEST_F(MarketPropertyTest, InvariantsHoldAndRejectedEventsChangeNothing) {
  std::size_t rejected_events = 0;
  ForRandomLogs([&rejected_events](const std::vector<Input>& log) {
    Market market;
    for (const Input& input : log) {
      const std::vector<Table> before = StateTables(market);
      const Step step = market.Apply(input);
      const bool rejected = IsRejected(step);
      if (rejected) {
        ++rejected_events;
        ASSERT_EQ(TextOf(StateTables(market)), TextOf(before)) << "at offset " << input.offset;
        ASSERT_TRUE(step.postings.empty());
        ASSERT_EQ(step.outcomes.size(), 1U);
      }
      const auto broken = BrokenInvariants(market, IsTick(input) && !rejected);
      ASSERT_TRUE(broken.empty()) << "at offset " << input.offset << ": " << broken.front();
    }
  });
  EXPECT_GT(rejected_events, kLogs);
}

TEST_F(MarketPropertyTest, TheSameLogGivesTheSameOutcomes) {
  ForRandomLogs([](const std::vector<Input>& log) {
    Market one;
    Market other;
    for (const Input& input : log) {
      const Step step = one.Apply(input);
      const Step again = other.Apply(input);
      ASSERT_EQ(step.outcomes, again.outcomes) << "at offset " << input.offset;
      ASSERT_EQ(step.postings, again.postings) << "at offset " << input.offset;
    }
    EXPECT_EQ(TextOf(StateTables(one)), TextOf(StateTables(other)));
  });
}

// Without the rejected events the others do the same, later ones too.
TEST_F(MarketPropertyTest, ALogWithoutItsRejectedEventsLeadsToTheSameMarket) {
  ForRandomLogs([](const std::vector<Input>& log) {
    Market whole;
    Market without;
    for (const Input& input : log) {
      const Step step = whole.Apply(input);
      if (IsRejected(step)) continue;
      ASSERT_EQ(without.Apply(input).outcomes, step.outcomes) << "at offset " << input.offset;
    }
    EXPECT_EQ(TextOf(StateTables(whole)), TextOf(StateTables(without)));
  });
}

// Postings are all that moves balances: a book that is fed with them ends with the same ones.
TEST_F(MarketPropertyTest, ThePostingsTellTheWholeBook) {
  ForRandomLogs([](const std::vector<Input>& log) {
    Market market;
    std::vector<Int128> balances;
    for (const Input& input : log) {
      const Step step = market.Apply(input);
      balances.resize(market.book().accounts().size());
      for (const Posting& posting : step.postings) {
        balances[posting.from.index()] -= posting.amount.value();
        balances[posting.to.index()] += posting.amount.value();
      }
    }
    for (std::size_t i = 0; i < balances.size(); ++i) {
      const Account& account = market.book().accounts()[i];
      EXPECT_TRUE(account.balance == balances[i]) << account.name;
    }
  });
}

// A market that works on everything at every tick, whatever has changed. Its events are admitted.
class ThoroughMarket {
 public:
  std::vector<Outcome> Apply(const Input& input) {
    const Event& event = std::get<Event>(input.event);
    const TimeMs now = state_.EffectiveTime(TimeMs(event.time_ms));
    if (!state_.time) state_.settled = now;
    state_.time = now;
    if (std::holds_alternative<ClockTicked>(event.payload)) ForgetWhatIsUnchanged();
    Take(state_, event, input.offset, now);
    PublishQuotas(state_, now);
    return std::exchange(state_.step, {}).outcomes;
  }

 private:
  void ForgetWhatIsUnchanged() {
    state_.stated_changed = true;
    for (Pool& pool : state_.pools)
      pool.rate_changed = true;
    for (Team& team : state_.teams)
      team.caps_changed = true;
    for (TeamQueue& team : state_.standing.teams)
      team.replan = true;
    for (ResourceTable& table : state_.standing.resources) {
      table.reconsider = true;
      table.reclear = true;
    }
  }

  MarketState state_;
};

TEST_F(MarketPropertyTest, SkippingWhatIsUnchangedChangesNoOutcome) {
  ForRandomLogs([](const std::vector<Input>& log) {
    Market market;
    ThoroughMarket thorough;
    for (const Input& input : log) {
      const Step step = market.Apply(input);
      if (IsRejected(step)) continue;
      std::vector<Outcome> outcomes = step.outcomes;
      // That an event is late is told by Market itself.
      std::erase_if(outcomes, [](const Outcome& outcome) {
        return std::holds_alternative<EventLate>(outcome);
      });
      ASSERT_EQ(outcomes, thorough.Apply(input)) << "at offset " << input.offset;
    }
  });
}

}  // namespace
}  // namespace qmarket

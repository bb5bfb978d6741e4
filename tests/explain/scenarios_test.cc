// Explains every standing bid of every scenario after its ticks, confirms every claim, and holds
// what binds against what the scenario was written for.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/explain.h"
#include "tests/explain/claim_check.h"
#include "tests/matcher/inputs.h"
#include "tests/scenarios/scenario.h"

namespace qmarket {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

constexpr char kFolder[] = "tests/scenarios";

bool IsTick(const Input& input) {
  const Event* event = std::get_if<Event>(&input.event);
  return event != nullptr && std::holds_alternative<ClockTicked>(event->payload);
}

bool WasRejected(const Step& step) {
  return std::ranges::any_of(step.outcomes, [](const Outcome& outcome) {
    return std::holds_alternative<EventRejected>(outcome);
  });
}

Scenario Read(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  absl::StatusOr<Scenario> scenario = ReadScenario(path.string(), text.str());
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  return scenario.ok() ? *std::move(scenario) : Scenario();
}

// The explanations of all standing bids at the last tick of every line that has some.
class Explainer {
 public:
  explicit Explainer(const Scenario& scenario) {
    for (const auto& step : scenario.steps) {
      const auto* happening = std::get_if<Happening>(&step);
      if (happening == nullptr) continue;
      for (std::size_t i = 0; i < happening->arrivals.size(); ++i)
        Take(happening->arrivals[i], i + 1 == happening->arrivals.size());
    }
  }

  // "bid verdict binding", each of them once.
  [[nodiscard]] const std::set<std::string>& told() const { return told_; }

  [[nodiscard]] const ClaimTally& tally() const { return tally_; }

 private:
  void Take(const Arrival& arrival, bool last) {
    Input input;
    if (const Event* event = std::get_if<Event>(&arrival.event)) {
      input = InputOf(*event, offset_);
    } else {
      input.event = std::get<Malformed>(arrival.event);
      input.offset = offset_;
    }
    input.append_time_ms = arrival.append_time_ms;
    ++offset_;
    const Market before = market_.CloneForTrial();
    if (WasRejected(market_.Apply(input)) || !last || !IsTick(input)) return;
    for (const BidView& bid : market_.Bids()) {
      if (bid.state == BidState::kEnded) continue;
      const Explanation explanation = ExplainBid(before, input, bid.bid);
      CheckFacts(market_, explanation, tally_);
      CheckClaims(before, input, explanation, tally_);
      told_.insert(absl::StrCat(bid.bid, " ", VerdictName(explanation.verdict), " ",
                                BindingName(explanation.binding)));
    }
  }

  Market market_;
  std::uint64_t offset_ = 0;
  std::set<std::string> told_;
  ClaimTally tally_;
};

TEST(ExplainScenarios, EveryClaimIsConfirmed) {
  std::map<std::string, int> confirmed;
  std::set<std::string> bindings;
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    if (entry.path().extension() != ".scenario") continue;
    SCOPED_TRACE(entry.path().string());
    const Explainer explainer(Read(entry.path()));
    EXPECT_THAT(explainer.tally().wrong, IsEmpty());
    for (const auto& [name, times] : explainer.tally().confirmed)
      confirmed[name] += times;
    for (const std::string& told : explainer.told())
      bindings.insert(told.substr(told.rfind(' ') + 1));
    ++files;
  }
  std::cout << files << " scenarios";
  for (const auto& [name, times] : confirmed)
    std::cout << "  " << name << " " << times;
  std::cout << "\n";
  EXPECT_GE(files, 100);
  // All there are, so that none goes untested.
  EXPECT_THAT(bindings, ::testing::UnorderedElementsAre(
                            "nothing", "no_supply", "too_large", "no_rate", "no_budget", "limit",
                            "budget", "queue", "tie", "displaced", "gave_up", "nothing_unpaid"));
}

TEST(ExplainScenarios, NameWhatTheScenarioWasWrittenFor) {
  struct Written {
    const char* file;
    const char* told;
  };

  for (const auto& [file, told] : std::vector<Written>{
           {"5-filling/equal-offers-go-by-time", "a waiting tie"},
           {"5-filling/equal-offers-go-by-time", "b running nothing"},
           {"5-filling/several-prices-rise-at-once", "b preempted gave_up"},
           {"5-filling/preempted-by-its-limit", "a preempted limit"},
           {"5-filling/preempted-over-budget", "a preempted budget"},
           {"5-filling/without-a-rate-among-the-last", "n waiting no_rate"},
           {"5-filling/without-purchasing-power-among-the-last", "n waiting no_budget"},
           {"4-clearing/a-bid-too-large-is-set-aside", "huge set_aside too_large"},
           {"3-bidder/the-plan-goes-over-all-resources", "b waiting queue"},
           {"3-bidder/staying-is-easier-than-entering", "a preempted tie"},
           {"5-filling/waiting-gives-way-before-running", "s2 waiting displaced"},
           {"5-filling/unlent-chips-are-for-their-own-pool", "o1 waiting nothing_unpaid"},
           {"6-time-and-money/a-bid-without-supply-waits", "a set_aside no_supply"}}) {
    SCOPED_TRACE(file);
    const Explainer explainer(
        Read(std::filesystem::path(kFolder) / absl::StrCat(file, ".scenario")));
    EXPECT_THAT(explainer.told(), Contains(told));
  }
}

}  // namespace
}  // namespace qmarket

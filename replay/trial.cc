#include "replay/trial.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "events/check.h"
#include "events/fingerprint.h"

namespace qmarket {
namespace {

// Steps away from the guess grow by this factor: the farther the answer, the less its distance is
// known, and a clearing saved here costs a few bisections at most.
constexpr std::int64_t kGrowth = 8;

// Knows the two values between which the answer lies.
class Searcher {
 public:
  Searcher(const Counterfactual& question, const std::function<bool(std::int64_t)>& runs)
      : answer_(question), runs_(runs) {}

  Counterfactual Solve(bool recorded_runs, const Guess& guess) {
    const std::int64_t recorded = answer_.recorded;
    (recorded_runs ? high_ : low_) = recorded;
    if (recorded_runs && recorded > answer_.lowest) {
      Begin(std::clamp(guess.value, answer_.lowest, recorded - 1), guess.step);
    } else if (!recorded_runs && recorded < answer_.highest) {
      Begin(std::clamp(guess.value, recorded + 1, answer_.highest), guess.step);
    }
    if (!low_) {
      answer_.answer = Counterfactual::Answer::kAny;
    } else if (!high_) {
      answer_.answer = recorded < answer_.highest ? Counterfactual::Answer::kNone
                                                  : Counterfactual::Answer::kUnset;
    } else {
      Bisect();
    }
    return answer_;
  }

 private:
  // What was found becomes the bound on its side.
  bool Try(std::int64_t value) {
    ++answer_.cleared;
    const bool ran = runs_(value);
    (ran ? high_ : low_) = value;
    return ran;
  }

  void Begin(std::int64_t start, std::int64_t step) { Try(start) ? GoDown(step) : GoUp(step); }

  // Up from low_ by steps that grow, until it runs: to high_ or else to the end of the range.
  void GoUp(std::int64_t step) {
    while (high_ ? step < *high_ - *low_ : *low_ < answer_.highest) {
      if (Try(std::min(*low_ + step, answer_.highest))) return;
      step *= kGrowth;
    }
  }

  // Down from high_ likewise, until it does not run: to low_ or else to the beginning of the range.
  void GoDown(std::int64_t step) {
    while (low_ ? step < *high_ - *low_ : *high_ > answer_.lowest) {
      if (!Try(std::max(*high_ - step, answer_.lowest))) return;
      step *= kGrowth;
    }
  }

  void Bisect() {
    while (*high_ - *low_ > 1)
      Try(*low_ + (*high_ - *low_) / 2);
    answer_.answer = Counterfactual::Answer::kFrom;
    answer_.enough = *high_;
  }

  Counterfactual answer_;
  const std::function<bool(std::int64_t)>& runs_;
  std::optional<std::int64_t> low_;   // it does not run here
  std::optional<std::int64_t> high_;  // it runs here
};

Input InputOf(Payload payload, std::int64_t time_ms, std::uint64_t offset) {
  // The market that is tried has forgotten all ids.
  return {.offset = offset,
          .append_time_ms = std::nullopt,
          .event = Event{.event_id = "what-if",
                         .time_ms = time_ms,
                         .actor = "",
                         .source = "",
                         .payload = std::move(payload)},
          .id = FingerprintOf("what-if"),
          .content = FingerprintOf("what-if")};
}

}  // namespace

Market Trial::Clear(Payload change) const {
  Market market = before_.CloneForTrial();
  const Input input = InputOf(std::move(change), market.time_ms().value_or(0), tick_.offset);
  QM_CHECK(!market.Apply(input).rejected(), "a change to be tried was rejected");
  Input tick = tick_;
  ++tick.offset;
  market.Apply(tick);
  return market;
}

bool Trial::Runs(const std::string& bid, Payload change) const {
  const std::optional<BidView> view = Clear(std::move(change)).FindBid(bid);
  QM_CHECK(view.has_value(), "a bid was lost in a trial");
  return qmarket::Runs(*view);
}

bool Runs(const BidView& bid) {
  return bid.opportunistic ? bid.chips > 0 : bid.paid > 0;
}

Counterfactual Search(const Counterfactual& question, bool recorded_runs, const Guess& guess,
                      const std::function<bool(std::int64_t value)>& runs) {
  return Searcher(question, runs).Solve(recorded_runs, guess);
}

}  // namespace qmarket

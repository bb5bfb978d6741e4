#include "matcher/core/market.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "matcher/core/admission.h"
#include "matcher/core/cycle.h"
#include "matcher/core/effects.h"
#include "matcher/core/fills.h"
#include "matcher/core/known_events.h"
#include "matcher/core/market_state.h"

namespace qmarket {

namespace {

// Fingerprints of an event that could be read are known from now on, even if it is rejected.
void Remember(KnownEvents& known_events, const Input& input) {
  if (!std::holds_alternative<Event>(input.event)) return;
  known_events.Add({.id = input.id, .content = input.content, .offset = input.offset});
}

std::string EventId(const Input& input) {
  if (const Event* event = std::get_if<Event>(&input.event)) return event->event_id;
  return std::get<Malformed>(input.event).event_id;
}

// The event takes effect at its own time, but never before the market's (§6).
TimeMs MoveTime(MarketState& state, const Event& event) {
  const TimeMs claimed(event.time_ms);
  const TimeMs now = state.EffectiveTime(claimed);
  if (!state.time) state.settled = now;
  state.time = now;
  if (now != claimed) {
    state.step.outcomes.emplace_back(EventLate{
        .event_id = event.event_id, .claimed_ms = claimed.value(), .effective_ms = now.value()});
  }
  return now;
}

}  // namespace

bool Step::rejected() const {
  return outcomes.size() == 1 && std::holds_alternative<EventRejected>(outcomes.front());
}

Market::Market()
    : state_(std::make_unique<MarketState>()), known_events_(std::make_unique<KnownEvents>()) {}

Market::Market(Market&&) noexcept = default;
Market& Market::operator=(Market&&) noexcept = default;
Market::~Market() = default;

Step Market::Apply(const Input& input) {
  MarketState& state = *state_;
  if (auto rejection = Reject(state, *known_events_, input)) {
    Remember(*known_events_, input);
    state.step.outcomes.emplace_back(EventRejected{.event_id = EventId(input),
                                                   .code = rejection->code,
                                                   .message = std::move(rejection->message)});
    return std::exchange(state.step, {});
  }
  Remember(*known_events_, input);
  const Event& event = std::get<Event>(input.event);
  const TimeMs now = MoveTime(state, event);
  Take(state, event, input.offset, now);
  PublishQuotas(state, now);
  state.step.postings = state.book.TakePostings();
  return std::exchange(state.step, {});
}

Market Market::CloneForTrial() const {
  Market copy;
  *copy.state_ = *state_;
  LinkRuns(copy.state_->standing);
  return copy;
}

const Book& Market::book() const {
  return state_->book;
}

std::optional<std::int64_t> Market::time_ms() const {
  return state_->time ? std::optional(state_->time->value()) : std::nullopt;
}

std::uint64_t Market::cycles() const {
  return state_->cycles;
}

MarketConfigured Market::settings() const {
  return state_->settings;
}

}  // namespace qmarket

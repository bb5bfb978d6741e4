// Events as the market takes them.
#ifndef QMARKET_TESTS_MATCHER_INPUTS_H_
#define QMARKET_TESTS_MATCHER_INPUTS_H_

#include <cstdint>
#include <utility>

#include "events/event.h"
#include "events/event_codec.h"
#include "events/fingerprint.h"
#include "matcher/core/input.h"

namespace qmarket {

inline Input InputOf(Event event, std::uint64_t offset) {
  Input input;
  input.offset = offset;
  input.id = FingerprintOf(event.event_id);
  input.content = FingerprintOf(CanonicalEvent(event));
  input.event = std::move(event);
  return input;
}

}  // namespace qmarket

#endif  // QMARKET_TESTS_MATCHER_INPUTS_H_

// The words for events, after the time (README.md).
#ifndef QMARKET_TESTS_SCENARIOS_EVENT_WORDS_H_
#define QMARKET_TESTS_SCENARIOS_EVENT_WORDS_H_

#include "events/event.h"
#include "tests/scenarios/words.h"

namespace qmarket {

// The payload that the rest of the line says; problems are left in `words`.
[[nodiscard]] Payload ReadPayload(Words& words);

}  // namespace qmarket

#endif  // QMARKET_TESTS_SCENARIOS_EVENT_WORDS_H_

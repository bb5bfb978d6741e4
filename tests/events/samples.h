// Events and outcomes for tests: one of each kind with every field set, and random ones.
#ifndef QMARKET_TESTS_EVENTS_SAMPLES_H_
#define QMARKET_TESTS_EVENTS_SAMPLES_H_

#include <vector>

#include "events/event.h"
#include "events/outcome.h"
#include "rapidcheck.h"

namespace qmarket {

// One event of each payload type, within all ranges, no field at its default.
std::vector<Event> SampleEvents();

// One outcome of each type, no field at its default.
std::vector<Outcome> SampleOutcomes();

// Within all forms and ranges.
rc::Gen<Event> ValidEvents();

// Any values and any bytes.
rc::Gen<Event> AnyEvents();

// Any values; texts are UTF-8.
rc::Gen<Outcome> AnyOutcomes();

}  // namespace qmarket

#endif  // QMARKET_TESTS_EVENTS_SAMPLES_H_

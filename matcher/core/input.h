// One log record, decoded, as the market takes it.
//
// What needs a hash function or a codec is done outside, so that the core stays pure: the caller
// gives the fingerprints of the id and of the content (event_codec.h).
#ifndef QMARKET_MATCHER_CORE_INPUT_H_
#define QMARKET_MATCHER_CORE_INPUT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "events/event.h"

namespace qmarket {

// 128 bits of a cryptographic hash: equal exactly where the hashed bytes are.
using Fingerprint = std::array<std::uint8_t, 16>;

// Bytes that are no event.
struct Malformed {
  std::string event_id;  // where it could be read, else empty
  std::string message;
};

struct Input {
  std::uint64_t offset = 0;
  std::optional<std::int64_t>
      append_time_ms;  // none: the log keeps none, and no event is too early
  std::variant<Event, Malformed> event;
  Fingerprint id{};       // of event_id
  Fingerprint content{};  // of all fields, one left out equal to its default
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_INPUT_H_

// From a record of the log to an input of the market.
#ifndef QMARKET_MATCHER_PROCESS_RECORD_H_
#define QMARKET_MATCHER_PROCESS_RECORD_H_

#include "events/event_log.h"
#include "events/fingerprint.h"
#include "matcher/core/input.h"

namespace qmarket {

// Decodes and hashes a record; bytes that are no event become Malformed. Any thread may call it.
[[nodiscard]] Input InputOf(const LogRecord& record);

// SHA-256 of the offset and the append time, 8 bytes each, big endian, and the bytes: it tells
// whether two logs have the same record in the same place (docs/formats-store.md).
[[nodiscard]] Digest RecordHash(const LogRecord& record);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_RECORD_H_

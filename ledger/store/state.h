// Where a ledger's store stands: what of which log it holds.
#ifndef QMARKET_LEDGER_STORE_STATE_H_
#define QMARKET_LEDGER_STORE_STATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "events/fingerprint.h"

namespace qmarket {

struct StoreState {
  std::string log_identity{};                  // of the log that it is made from (event_log.h)
  std::uint32_t rules_version = 0;             // of the mechanism that it was made with
  std::uint64_t next_offset = 0;               // where the log is read on; all below is applied
  std::optional<std::uint64_t> last_offset{};  // of the last record applied
  Digest last_record_hash{};                   // of that record
  Digest digest{};                             // of the chain over all outcomes (digest.h)
  std::uint32_t currencies = 0;                // how many there are
  std::uint32_t accounts = 0;                  // likewise

  friend bool operator==(const StoreState&, const StoreState&) = default;
};

}  // namespace qmarket

#endif  // QMARKET_LEDGER_STORE_STATE_H_

// What the ledger's store can find again of the market's outcomes, and under which name.
//
// The value of every entry is the canonical bytes (outcome_codec.h) of the outcomes that are about
// the thing and have the entry's offset: at least one, in their order.
#ifndef QMARKET_MATCHER_PROCESS_OUTCOME_INDEX_H_
#define QMARKET_MATCHER_PROCESS_OUTCOME_INDEX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/outcome.h"
#include "ledger/store/commit.h"

namespace qmarket {

// The kinds of the store's index. Values are part of the stored format: append only.
enum class IndexKind : std::uint8_t {
  kResource = 1,   // of a resource: MarketCleared
  kBid = 2,        // of a bid: BidFilled, BidPreempted
  kQuota = 3,      // of a team and a resource (QuotaIndexName): QuotaChanged
  kRejection = 4,  // of the market, the name is empty: EventRejected
};

// The name of a team's quota of a resource; and the team and the resource of such a name.
[[nodiscard]] std::string QuotaIndexName(absl::string_view team, absl::string_view resource);

struct QuotaName {
  std::string team;
  std::string resource;
};

[[nodiscard]] QuotaName ParseQuotaIndexName(absl::string_view name);

// The index entries of a step.
[[nodiscard]] std::vector<IndexEntry> IndexOf(absl::Span<const Outcome> outcomes);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_OUTCOME_INDEX_H_

// Canonical bytes of the outcomes of one input offset: what the digest chain covers and the ledger
// stores.
//
// Equal outcomes give equal bytes and different ones different bytes, on any machine. The format is
// compact (varints, strings with their length) and described in docs/formats.md; it changes by
// adding types of outcomes only. Functions without state; use them from any thread.
#ifndef QMARKET_EVENTS_OUTCOME_CODEC_H_
#define QMARKET_EVENTS_OUTCOME_CODEC_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/outcome.h"

namespace qmarket {

[[nodiscard]] std::string EncodeOutcomes(absl::Span<const Outcome> outcomes);

// Appends to `bytes` instead, for callers that reuse memory.
void AppendOutcomes(absl::Span<const Outcome> outcomes, std::string& bytes);

// Errors (DataLoss): bytes that EncodeOutcomes does not make, with the place of the first bad one.
absl::StatusOr<std::vector<Outcome>> DecodeOutcomes(absl::string_view bytes);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_OUTCOME_CODEC_H_

#include "connectors/cli/commands/history.h"

#include <algorithm>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "events/outcome_codec.h"

namespace qmarket {

absl::Status ForEachOutcome(const Query& query,
                            absl::FunctionRef<bool(std::uint64_t offset, const Outcome&)> take) {
  if (query.range().from > query.range().to) return absl::OkStatus();
  absl::Status damaged;
  const absl::Status read =
      query.store().Outcomes(query.range(), [&](std::uint64_t offset, absl::string_view canonical) {
        const absl::StatusOr<std::vector<Outcome>> outcomes = DecodeOutcomes(canonical);
        if (!outcomes.ok()) {
          damaged = absl::DataLossError(
              absl::StrCat("the outcomes of offset ", offset, ": ", outcomes.status().message()));
          return false;
        }
        return std::ranges::all_of(*outcomes,
                                   [&](const Outcome& outcome) { return take(offset, outcome); });
      });
  return read.ok() ? damaged : read;
}

}  // namespace qmarket

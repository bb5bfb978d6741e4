#include "replay/difference.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

#include "events/outcome_wire.h"

namespace qmarket {

std::string DescribeDifference(const Difference& difference) {
  return absl::StrCat(difference.object, ": recorded ", difference.recorded, ", replayed ",
                      difference.replayed);
}

Difference FirstDifference(std::uint64_t offset, absl::Span<const Outcome> recorded,
                           absl::Span<const Outcome> replayed) {
  std::size_t index = 0;
  while (index < recorded.size() && index < replayed.size() && recorded[index] == replayed[index]) {
    ++index;
  }
  const auto text = [offset, index](absl::Span<const Outcome> outcomes) {
    return index < outcomes.size()
               ? OutcomeToJson(offset, static_cast<std::uint32_t>(index), outcomes[index])
               : std::string(kNothing);
  };
  return {offset, absl::StrCat("outcome ", index), text(recorded), text(replayed)};
}

}  // namespace qmarket

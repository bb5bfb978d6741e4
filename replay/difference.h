// Something that is not as it was recorded.
#ifndef QMARKET_REPLAY_DIFFERENCE_H_
#define QMARKET_REPLAY_DIFFERENCE_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"

#include "events/outcome.h"

namespace qmarket {

// Where there is nothing to compare with.
inline constexpr char kNothing[] = "nothing";

struct Difference {
  std::uint64_t offset = 0;
  std::string object;  // "account team:vision", "outcome 3"
  std::string recorded;
  std::string replayed;
};

// "account team:vision: recorded 5, replayed 7"
[[nodiscard]] std::string DescribeDifference(const Difference& difference);

// The first of the outcomes of an offset that is another one; the two are not equal.
[[nodiscard]] Difference FirstDifference(std::uint64_t offset, absl::Span<const Outcome> recorded,
                                         absl::Span<const Outcome> replayed);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_DIFFERENCE_H_

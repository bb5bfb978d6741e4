// Any bytes as canonical outcomes, and as an outcome record: what is read is written as it was, or
// read the same again.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

#include "events/check.h"
#include "events/outcome_codec.h"
#include "events/outcome_wire.h"
#include "nlohmann/json.hpp"

namespace qmarket {
namespace {

void CheckJson(std::uint64_t offset, std::uint32_t index, const Outcome& outcome) {
  QM_CHECK(nlohmann::json::accept(OutcomeToJson(offset, index, outcome)), "the JSON is none");
}

void CheckCanonical(absl::string_view bytes) {
  const absl::StatusOr<std::vector<Outcome>> outcomes = DecodeOutcomes(bytes);
  if (!outcomes.ok()) return;
  QM_CHECK(EncodeOutcomes(*outcomes) == bytes, "two texts of bytes mean the same");
  for (const Outcome& outcome : *outcomes)
    CheckJson(0, 0, outcome);
}

void CheckRecord(absl::string_view bytes) {
  const absl::StatusOr<OutcomeRecord> record = DecodeOutcomeRecord(bytes);
  if (!record.ok()) return;
  const absl::StatusOr<OutcomeRecord> again =
      DecodeOutcomeRecord(EncodeOutcomeRecord(record->offset, record->index, record->outcome));
  QM_CHECK(again.ok() && *again == *record, "an outcome is read otherwise the second time");
  CheckJson(record->offset, record->index, record->outcome);
}

}  // namespace
}  // namespace qmarket

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  qmarket::CheckCanonical(bytes);
  qmarket::CheckRecord(bytes);
  return 0;
}

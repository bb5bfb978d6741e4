#include "events/outcome_codec.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "events/canonical_bytes.h"
#include "events/outcome_fields.h"

namespace qmarket {
namespace {

// The first byte of all canonical outcomes.
constexpr std::uint64_t kFormatVersion = 1;

// Enough for most outcomes, to grow the string once.
constexpr std::size_t kUsualBytes = 80;

template <std::size_t... Index>
Outcome ReadOutcome(std::uint64_t type, CanonicalReader& reader, std::index_sequence<Index...>) {
  Outcome outcome;
  const bool known =
      ((type == Index &&
        (outcome = reader.Value<std::variant_alternative_t<Index, Outcome>>(), true)) ||
       ...);
  if (!known) reader.Fail();
  return outcome;
}

}  // namespace

void AppendOutcomes(absl::Span<const Outcome> outcomes, std::string& bytes) {
  bytes.reserve(bytes.size() + outcomes.size() * kUsualBytes);
  CanonicalWriter writer(bytes);
  writer.Unsigned(kFormatVersion);
  writer.Unsigned(outcomes.size());
  for (const Outcome& outcome : outcomes) {
    writer.Unsigned(outcome.index());
    std::visit([&](const auto& value) { writer.Value(value); }, outcome);
  }
}

std::string EncodeOutcomes(absl::Span<const Outcome> outcomes) {
  std::string bytes;
  AppendOutcomes(outcomes, bytes);
  return bytes;
}

absl::StatusOr<std::vector<Outcome>> DecodeOutcomes(absl::string_view bytes) {
  CanonicalReader reader(bytes);
  const std::uint64_t version = reader.Unsigned();
  if (reader.ok() && version != kFormatVersion) {
    return absl::DataLossError(
        absl::StrCat("outcomes have format ", version, ", this program knows ", kFormatVersion));
  }
  std::vector<Outcome> outcomes;
  for (std::uint64_t left = reader.Unsigned(); reader.ok() && left > 0; --left) {
    const std::uint64_t type = reader.Unsigned();
    outcomes.push_back(
        ReadOutcome(type, reader, std::make_index_sequence<std::variant_size_v<Outcome>>()));
  }
  if (!reader.ok() || !reader.AtEnd()) {
    return absl::DataLossError(
        absl::StrCat("outcomes are damaged at byte ", reader.position(), " of ", bytes.size()));
  }
  return outcomes;
}

}  // namespace qmarket

#include "connectors/cli/commands/history.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "connectors/cli/text.h"
#include "events/outcome_codec.h"

namespace qmarket {
namespace {

using TakeOutcome = absl::FunctionRef<bool(std::uint64_t offset, const Outcome&)>;

absl::StatusOr<std::vector<Outcome>> Decode(std::uint64_t offset, absl::string_view canonical) {
  absl::StatusOr<std::vector<Outcome>> outcomes = DecodeOutcomes(canonical);
  if (outcomes.ok()) return outcomes;
  return absl::DataLossError(
      absl::StrCat("the outcomes of offset ", offset, ": ", outcomes.status().message()));
}

// Decodes what a scan of the store gives, and remembers the first damage.
class Decoder {
 public:
  explicit Decoder(TakeOutcome take) : take_(take) {}

  bool operator()(std::uint64_t offset, absl::string_view canonical) {
    const absl::StatusOr<std::vector<Outcome>> outcomes = Decode(offset, canonical);
    if (!outcomes.ok()) damage_ = outcomes.status();
    return outcomes.ok() && std::ranges::all_of(*outcomes, [&](const Outcome& outcome) {
             return take_(offset, outcome);
           });
  }

  [[nodiscard]] absl::Status StatusOf(absl::Status scan) const {
    return scan.ok() ? damage_ : scan;
  }

 private:
  TakeOutcome take_;
  absl::Status damage_;
};

bool IsEmpty(OffsetRange range) {
  return range.from > range.to;
}

absl::StatusOr<LastOutcomes> LastAt(const LedgerStore& store, std::uint64_t offset, IndexKind kind,
                                    absl::string_view name) {
  const absl::StatusOr<std::optional<IndexHit>> hit =
      store.IndexAt(static_cast<std::uint8_t>(kind), name, offset);
  if (!hit.ok()) return hit.status();
  if (!hit->has_value()) return LastOutcomes();
  absl::StatusOr<std::vector<Outcome>> outcomes = Decode((*hit)->offset, (*hit)->value);
  if (!outcomes.ok()) return outcomes.status();
  return LastOutcomes{.offset = (*hit)->offset, .outcomes = *std::move(outcomes)};
}

}  // namespace

absl::Status ForEachOutcome(const LedgerStore& store, OffsetRange range, TakeOutcome take) {
  Decoder decoder(take);
  return decoder.StatusOf(store.Outcomes(range, std::ref(decoder)));
}

absl::Status ForEachOutcome(const Query& query, TakeOutcome take) {
  return IsEmpty(query.range()) ? absl::OkStatus()
                                : ForEachOutcome(query.store(), query.range(), take);
}

absl::Status ForEachOutcomeAbout(const Query& query, IndexKind kind, absl::string_view name,
                                 TakeOutcome take) {
  if (IsEmpty(query.range())) return absl::OkStatus();
  Decoder decoder(take);
  return decoder.StatusOf(query.store().IndexHistory(static_cast<std::uint8_t>(kind), name,
                                                     query.range(), std::ref(decoder)));
}

absl::StatusOr<LastOutcomes> LastOutcomesAbout(const Query& query, IndexKind kind,
                                               absl::string_view name) {
  if (!query.offset().has_value()) return LastOutcomes();
  return LastAt(query.store(), *query.offset(), kind, name);
}

absl::StatusOr<LastOutcomes> OpeningOutcomesAbout(const Query& query, std::int64_t from_ms,
                                                  IndexKind kind, absl::string_view name) {
  const OffsetRange range = query.range();
  if (!query.offset().has_value() || range.from == 0) return LastOutcomes();
  std::optional<std::uint64_t> first;
  if (!IsEmpty(range)) {
    const absl::Status read =
        query.store().IndexHistory(static_cast<std::uint8_t>(kind), name, range,
                                   [&](std::uint64_t offset, absl::string_view /*value*/) {
                                     first = offset;
                                     return false;
                                   });
    if (!read.ok()) return read;
  }
  if (first.has_value()) {
    const absl::StatusOr<std::optional<std::int64_t>> time_ms = query.store().TimeAt(*first);
    if (!time_ms.ok()) return time_ms.status();
    if (*time_ms == from_ms) return LastOutcomes();
  }
  return LastAt(query.store(), range.from - 1, kind, name);
}

absl::StatusOr<std::vector<std::string>> NamesOf(const Query& query, IndexKind kind) {
  return query.store().IndexNames(static_cast<std::uint8_t>(kind));
}

absl::Status CheckResource(const Query& query, const std::string& name) {
  if (name.empty()) return absl::OkStatus();
  const absl::StatusOr<std::vector<std::string>> names = NamesOf(query, IndexKind::kResource);
  if (!names.ok()) return names.status();
  if (std::ranges::find(*names, name) != names->end()) return absl::OkStatus();
  return absl::NotFoundError(UnknownName("resource", name, *names));
}

}  // namespace qmarket

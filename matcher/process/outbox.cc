#include "matcher/process/outbox.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "events/event_log.h"
#include "events/kafka/record_headers.h"
#include "events/kafka/transactional_producer.h"
#include "events/outcome.h"
#include "events/outcome_codec.h"
#include "events/outcome_wire.h"
#include "ledger/store/store.h"

namespace qmarket {
namespace {

// When it took effect; none where nothing did.
struct TimeOf {
  template <typename T>
  std::optional<std::int64_t> operator()(const T& outcome) const {
    return outcome.time_ms;
  }

  std::optional<std::int64_t> operator()(const EventRejected& /*rejected*/) const {
    return std::nullopt;
  }

  std::optional<std::int64_t> operator()(const EventLate& late) const { return late.effective_ms; }
};

// The outcomes at one offset.
absl::StatusOr<std::vector<Outcome>> OutcomesAt(const LedgerStore& store, std::uint64_t offset) {
  absl::StatusOr<std::vector<Outcome>> outcomes = std::vector<Outcome>();
  const absl::Status read = store.Outcomes(
      {.from = offset, .to = offset}, [&](std::uint64_t /*offset*/, absl::string_view canonical) {
        outcomes = DecodeOutcomes(canonical);
        return true;
      });
  if (!read.ok()) return read;
  return outcomes;
}

}  // namespace

Outbox::Outbox(const LedgerStore& store, MarketTopics topics, bool mirror_json, OutboxLimits limits)
    : store_(store), topics_(std::move(topics)), mirror_json_(mirror_json), limits_(limits) {}

absl::Status Outbox::Add(const OutcomeRecord& record, OutboxBatch& batch) const {
  std::optional<std::int64_t> time_ms = std::visit(TimeOf{}, record.outcome);
  if (!time_ms.has_value()) {
    const absl::StatusOr<std::optional<std::int64_t>> at = store_.TimeAt(record.offset);
    if (!at.ok()) return at.status();
    time_ms = at->value_or(0);
  }
  const std::string key = OutcomeKey(record.outcome);
  const auto add = [&](const std::string& topic, std::string value, const char* content_type) {
    batch.bytes += value.size();
    batch.records.push_back({topic, key, std::move(value),
                             HeadersOfOutcome(topics_.market, record, *time_ms, content_type)});
  };
  add(topics_.outcomes, EncodeOutcomeRecord(record.offset, record.index, record.outcome),
      kOutcomeContentType);
  if (mirror_json_) {
    add(topics_.outcomes_json, OutcomeToJson(record.offset, record.index, record.outcome),
        kJsonContentType);
  }
  return absl::OkStatus();
}

absl::StatusOr<OutboxBatch> Outbox::Next(OutcomePlace from, std::uint64_t end) const {
  OutboxBatch batch;
  batch.next = from;
  if (from.offset >= end) return batch;
  bool full = false;
  absl::Status status;
  const auto take = [&](std::uint64_t offset, absl::string_view canonical) {
    absl::StatusOr<std::vector<Outcome>> outcomes = DecodeOutcomes(canonical);
    status = outcomes.status();
    std::uint32_t index = offset == from.offset ? from.index : 0;
    for (; status.ok() && !full && index < outcomes->size(); ++index) {
      status = Add({offset, index, std::move((*outcomes)[index])}, batch);
      full = batch.records.size() >= limits_.records || batch.bytes >= limits_.bytes;
    }
    if (!status.ok()) return false;
    const bool all = index >= outcomes->size();
    batch.next = all ? OutcomePlace{offset + 1, 0} : OutcomePlace{offset, index};
    return !full;
  };
  const absl::Status read = store_.Outcomes({.from = from.offset, .to = end - 1}, take);
  if (!read.ok()) return read;
  if (!status.ok()) return status;
  if (!full) batch.next = {.offset = end, .index = 0};
  return batch;
}

absl::StatusOr<OutcomePlace> Outbox::PlaceOf(const LogRecord& record) {
  const absl::StatusOr<OutcomeRecord> outcome = DecodeOutcomeRecord(record.bytes);
  if (!outcome.ok()) {
    return absl::DataLossError(
        absl::StrCat("the outcomes' topic has a record at offset ", record.offset,
                     " that is no outcome of this market: ", outcome.status().message()));
  }
  return OutcomePlace{.offset = outcome->offset, .index = outcome->index};
}

absl::Status Outbox::Check(const LogRecord& record) const {
  const absl::StatusOr<OutcomePlace> place = PlaceOf(record);
  if (!place.ok()) return place.status();
  const absl::StatusOr<std::vector<Outcome>> outcomes = OutcomesAt(store_, place->offset);
  if (!outcomes.ok()) return outcomes.status();
  const bool same =
      place->index < outcomes->size() &&
      EncodeOutcomeRecord(place->offset, place->index, (*outcomes)[place->index]) == record.bytes;
  if (same) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the last outcome in Kafka topic ", topics_.outcomes, ", outcome ", place->index,
      " of offset ", place->offset,
      ", is not what the log led to there: the topic belongs to another log or to other rules"));
}

}  // namespace qmarket

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

// Of one transaction.
constexpr std::size_t kMaxRecords = 64 * 1024;
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

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

Outbox::Outbox(const LedgerStore& store, MarketTopics topics, bool mirror_json)
    : store_(store), topics_(std::move(topics)), mirror_json_(mirror_json) {}

absl::StatusOr<OutboxBatch> Outbox::Next(OutcomePlace from, std::uint64_t end) const {
  OutboxBatch batch;
  batch.next = from;
  if (from.offset >= end) return batch;
  std::size_t bytes = 0;
  bool full = false;
  absl::Status status;
  const auto take = [&](std::uint64_t offset, absl::string_view canonical) {
    const absl::StatusOr<std::vector<Outcome>> outcomes = DecodeOutcomes(canonical);
    status = outcomes.status();
    if (!status.ok()) return false;
    std::uint32_t index = offset == from.offset ? from.index : 0;
    for (; index < outcomes->size() && !full; ++index) {
      const OutcomeRecord record = {offset, index, (*outcomes)[index]};
      const std::optional<std::int64_t> own_time = std::visit(TimeOf{}, record.outcome);
      std::int64_t time_ms = own_time.value_or(0);
      if (!own_time.has_value()) {
        const absl::StatusOr<std::optional<std::int64_t>> at = store_.TimeAt(offset);
        status = at.status();
        if (!status.ok()) return false;
        time_ms = at->value_or(0);
      }
      const std::string key = OutcomeKey(record.outcome);
      batch.records.push_back(
          {topics_.outcomes, key, EncodeOutcomeRecord(offset, index, record.outcome),
           HeadersOfOutcome(topics_.market, record, time_ms, kOutcomeContentType)});
      bytes += batch.records.back().value.size();
      if (mirror_json_) {
        batch.records.push_back(
            {topics_.outcomes_json, key, OutcomeToJson(offset, index, record.outcome),
             HeadersOfOutcome(topics_.market, record, time_ms, kJsonContentType)});
        bytes += batch.records.back().value.size();
      }
      full = batch.records.size() >= kMaxRecords || bytes >= kMaxBytes;
    }
    batch.next =
        index < outcomes->size() ? OutcomePlace{offset, index} : OutcomePlace{offset + 1, 0};
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

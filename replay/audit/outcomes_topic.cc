#include "replay/audit/outcomes_topic.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "events/kafka/kafka_log.h"
#include "events/outcome.h"
#include "events/outcome_codec.h"
#include "events/outcome_wire.h"

namespace qmarket {
namespace {

constexpr std::size_t kBatchRecords = 1024;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

struct Place {
  std::uint64_t offset = 0;
  std::uint32_t index = 0;

  friend auto operator<=>(const Place&, const Place&) = default;
};

std::string TextOf(const Place& place) {
  return absl::StrCat("outcome ", place.index, " of offset ", place.offset);
}

// The outcomes that the store has, one by one.
class Expected {
 public:
  explicit Expected(const StoreScan& scan) : cursor_(scan.Read(StoreTable::kOutcomes)) { Decode(); }

  [[nodiscard]] bool valid() const { return cursor_.valid(); }

  [[nodiscard]] Place place() const { return {cursor_.position(), index_}; }

  [[nodiscard]] std::string Bytes() const {
    return EncodeOutcomeRecord(cursor_.position(), index_, outcomes_[index_]);
  }

  void Next() {
    if (++index_ < outcomes_.size()) return;
    cursor_.Next();
    Decode();
  }

 private:
  // What cannot be decoded is found where the store is checked.
  void Decode() {
    index_ = 0;
    outcomes_.clear();
    for (; cursor_.valid(); cursor_.Next()) {
      absl::StatusOr<std::vector<Outcome>> outcomes = DecodeOutcomes(cursor_.value());
      if (!outcomes.ok() || outcomes->empty()) continue;
      outcomes_ = *std::move(outcomes);
      return;
    }
  }

  StoreCursor cursor_;
  std::vector<Outcome> outcomes_;
  std::uint32_t index_ = 0;
};

class TopicAudit {
 public:
  TopicAudit(const MarketTopics& topics, const StoreScan& scan, AuditReport& report)
      : topics_(topics),
        scan_(scan),
        report_(report),
        check_(report.Begin("outcomes topic", "outcomes")),
        expected_(scan) {}

  absl::Status Run(const KafkaConfig& config, EventLog& log) {
    // It is read as a log of events is: by records, committed ones alone.
    MarketTopics as_log = topics_;
    as_log.events = topics_.outcomes;
    const absl::StatusOr<std::unique_ptr<KafkaLog>> topic = KafkaLog::Open(config, as_log);
    if (absl::IsNotFound(topic.status())) {
      Find(std::nullopt, std::string(topic.status().message()));
      return absl::OkStatus();
    }
    if (!topic.ok()) return topic.status();
    const absl::StatusOr<std::uint64_t> end = (*topic)->EndOffset();
    if (!end.ok()) return end.status();
    std::uint64_t next = 0;
    while (next < *end) {
      const absl::StatusOr<LogBatch> batch = (*topic)->Read(next, kBatchRecords, kBatchBytes);
      // Records that were deleted, for example.
      if (absl::IsDataLoss(batch.status())) {
        Find(std::nullopt, std::string(batch.status().message()));
        return absl::OkStatus();
      }
      if (!batch.ok()) return batch.status();
      for (const LogRecord& record : batch->records)
        Take(record);
      next = batch->next_offset;
      if (batch->records.empty() && batch->at_end) break;
    }
    return Finish(log);
  }

 private:
  void Take(const LogRecord& record) {
    check_.Count();
    const absl::StatusOr<OutcomeRecord> outcome = DecodeOutcomeRecord(record.bytes);
    if (!outcome.ok()) {
      Find(std::nullopt, absl::StrCat("record ", record.offset,
                                      " is no outcome of a market: ", outcome.status().message()));
      return;
    }
    const Place place{outcome->offset, outcome->index};
    // What the matcher has published since the store was opened.
    if (place.offset >= scan_.state().next_offset) {
      if (!beyond_.has_value() || *beyond_ < place) beyond_ = place;
      return;
    }
    if (expected_.valid() && expected_.place() < place && !beyond_.has_value()) Miss(place);
    if (!expected_.valid() || place != expected_.place()) {
      Find(place.offset,
           absl::StrCat("record ", record.offset, " is ", TextOf(place), ", ",
                        last_.has_value() && place <= *last_
                            ? "which was there before: each must be there once, in order"
                            : "and the ledger has none such"));
      return;
    }
    if (record.bytes != expected_.Bytes()) {
      Find(place.offset, absl::StrCat("record ", record.offset, ", ", TextOf(place),
                                      ", is not what the ledger has recorded"));
    }
    last_ = place;
    expected_.Next();
  }

  // Those before `place` that the topic does not have. One that is none of the ledger's is not
  // taken for a sign that others are missing.
  void Miss(const Place& place) {
    std::uint64_t missing = 0;
    const Place first = expected_.place();
    Expected ahead(scan_);
    while (ahead.valid() && ahead.place() < first)
      ahead.Next();
    while (ahead.valid() && ahead.place() < place) {
      ahead.Next();
      ++missing;
    }
    if (!ahead.valid() || ahead.place() != place) return;
    Find(first.offset, absl::StrCat(missing, " outcomes are missing, from ", TextOf(first), " on"));
    expected_ = std::move(ahead);
  }

  absl::Status Finish(EventLog& log) {
    if (beyond_.has_value()) {
      const absl::StatusOr<std::uint64_t> end = log.EndOffset();
      if (!end.ok()) return end.status();
      if (beyond_->offset >= *end) {
        Find(beyond_->offset,
             absl::StrCat("it has ", TextOf(*beyond_), ", and the log ends at ", *end));
      } else {
        report_.Note(absl::StrCat(topics_.outcomes,
                                  " goes on beyond what this ledger has applied, up to ",
                                  TextOf(*beyond_)));
      }
    }
    if (!expected_.valid()) return absl::OkStatus();
    if (beyond_.has_value()) {
      Find(expected_.place().offset, absl::StrCat(TextOf(expected_.place()), " is missing"));
    } else {
      report_.Note(absl::StrCat(topics_.outcomes, " has no outcomes yet from ",
                                TextOf(expected_.place()),
                                " on: the market's owner publishes them when it runs"));
    }
    return absl::OkStatus();
  }

  void Find(std::optional<std::uint64_t> offset, std::string what) {
    check_.Find({.where = AuditPart::kOutcomesTopic,
                 .object = topics_.outcomes,
                 .offset = offset,
                 .what = std::move(what)});
  }

  const MarketTopics& topics_;
  const StoreScan& scan_;
  AuditReport& report_;
  AuditCheck& check_;
  Expected expected_;
  std::optional<Place> last_;    // that was as expected
  std::optional<Place> beyond_;  // the last of what the ledger has not applied
};

}  // namespace

absl::Status AuditOutcomesTopic(const KafkaConfig& config, const MarketTopics& topics,
                                const StoreScan& scan, EventLog& log, AuditReport& report) {
  return TopicAudit(topics, scan, report).Run(config, log);
}

}  // namespace qmarket

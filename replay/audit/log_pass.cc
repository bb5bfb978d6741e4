#include "replay/audit/log_pass.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/fingerprint.h"
#include "events/kafka/kafka_log.h"
#include "events/outcome.h"
#include "matcher/core/input.h"
#include "matcher/process/record.h"
#include "replay/audit/effective_times.h"
#include "replay/audit/event_ids.h"
#include "replay/audit/incomes.h"
#include "replay/audit/replayed.h"
#include "replay/audit/store_damage.h"

namespace qmarket {
namespace {

constexpr std::size_t kBatchRecords = 1024;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

bool IsDamage(const absl::Status& status) {
  return absl::IsDataLoss(status) || absl::IsOutOfRange(status) || absl::IsInternal(status);
}

}  // namespace

struct LogPass::Impl {
  Impl(EventLog& event_log, const StoreScan& store, AuditReport& report)
      : log(event_log),
        scan(store),
        records(report.Begin("log records", "records")),
        ids(report),
        incomes(report),
        times(store, report),
        replayed(store, report),
        hashes(store.Read(StoreTable::kRecords)) {}

  absl::Status Run(std::uint64_t end, const Progress& progress, const Reached& reached) {
    while (next < end && !lost) {
      absl::StatusOr<LogBatch> batch = log.Read(next, single > 0 ? 1 : kBatchRecords, kBatchBytes);
      if (!batch.ok()) {
        if (!IsDamage(batch.status())) return batch.status();
        TakeDamage(batch.status());
        continue;
      }
      for (const LogRecord& record : batch->records) {
        if (record.offset >= end) break;
        Take(record, reached);
        progress(record.offset + 1, end);
      }
      single -= std::min<std::size_t>(single, batch->records.size());
      next = batch->next_offset;
      if (batch->records.empty() && batch->at_end) break;
    }
    Finish(end, reached);
    return absl::OkStatus();
  }

  // Finds the place of the damage by going on record by record, and goes on after it.
  void TakeDamage(const absl::Status& status) {
    // A topic that is not what it was is so all over.
    lost = is_kafka();
    if (single == 0 && !lost) {
      single = kBatchRecords;
      return;
    }
    FindInLog(next, std::string(status.message()));
    broken = true;
    ++next;
    lost = lost || records.findings() >= AuditReport::kMostFindings;
  }

  void Take(const LogRecord& record, const Reached& reached) {
    records.Count();
    if (record.append_time_ms < last_append_ms) CheckAppendTime(record);
    last_append_ms = record.append_time_ms;
    if (record.offset >= scan.state().next_offset) return;
    const Digest hash = RecordHash(record);
    const bool changed = !IsAsApplied(record.offset, hash);
    if (broken || replayed.diverged()) return;
    if (!replayed.log_changed()) reached(record.offset, replayed.replica(), last_hash);
    last_hash = hash;
    const Input input = InputOf(record);
    const absl::Span<const Outcome> recorded = replayed.Take(input, changed);
    if (replayed.diverged()) return;
    ids.Take(input, recorded);
    incomes.Take(input, recorded);
    times.Take(input, recorded);
  }

  // A broker's new leader may have a clock that is behind; nobody else's falls.
  void CheckAppendTime(const LogRecord& record) {
    if (is_kafka()) return;
    FindInLog(record.offset, absl::StrCat("its append time is ", record.append_time_ms,
                                          ", and that of the record before it ", last_append_ms));
  }

  bool IsAsApplied(std::uint64_t offset, const Digest& hash) {
    for (; hashes.valid() && hashes.position() < offset; hashes.Next()) {
      MissingRecord(hashes.position());
    }
    if (!hashes.valid() || hashes.position() != offset) {
      records.Find({.where = AuditPart::kLog,
                    .object = "record",
                    .offset = offset,
                    .what = "the ledger has applied the log beyond it, and knows no such record"});
      return false;
    }
    const absl::StatusOr<Fingerprint> applied = StoredFingerprint(hashes.value());
    const bool same = applied.ok() && *applied == FrontOf(hash);
    if (!same) {
      FindInLog(offset,
                "it is not the record that the ledger has applied there: its hash is another one");
    }
    hashes.Next();
    return same;
  }

  void MissingRecord(std::uint64_t offset) {
    // What could not be read was said already.
    if (std::ranges::find(damaged, offset) != damaged.end()) return;
    FindInLog(offset, "the ledger has applied a record there, and the log has none");
  }

  void Finish(std::uint64_t end, const Reached& reached) {
    const StoreState& state = scan.state();
    if (end < state.next_offset) {
      FindInLog(end, absl::StrCat("the log ends there, and the ledger has applied it up to offset ",
                                  state.next_offset, ": records are lost, or it is another log"));
    }
    for (; hashes.valid() && hashes.position() < state.next_offset && !lost; hashes.Next())
      MissingRecord(hashes.position());
    if (broken || lost || replayed.diverged()) {
      ids.GiveUp();
      incomes.GiveUp();
      times.GiveUp();
      replayed.GiveUp();
      return;
    }
    for (; hashes.valid(); hashes.Next()) {
      records.Find({.where = AuditPart::kStore,
                    .object = StoreTableName(StoreTable::kRecords),
                    .offset = hashes.position(),
                    .what = "it has the hash of a record that the ledger has not applied"});
    }
    ReportDamages(hashes.damages(), records);
    if (!replayed.log_changed()) reached(state.next_offset, replayed.replica(), last_hash);
    CheckLast(state);
    times.Finish();
    replayed.Finish();
    complete = !replayed.log_changed();
  }

  void CheckLast(const StoreState& state) {
    const std::optional<std::uint64_t> last = replayed.replica().offset();
    if (last != state.last_offset) {
      records.Find({.where = AuditPart::kStore,
                    .object = "state",
                    .offset = state.last_offset,
                    .what = absl::StrCat(
                        "it says that this is the last record applied, and the log's is ",
                        last.has_value() ? absl::StrCat("at ", *last) : std::string("none"))});
    } else if (last.has_value() && last_hash != state.last_record_hash) {
      records.Find({.where = AuditPart::kStore,
                    .object = "state",
                    .offset = last,
                    .what = "its hash of the last record applied is not that of the record"});
    }
  }

  void FindInLog(std::uint64_t offset, std::string what) {
    damaged.push_back(offset);
    records.Find(
        {.where = AuditPart::kLog, .object = "record", .offset = offset, .what = std::move(what)});
  }

  [[nodiscard]] bool is_kafka() const { return absl::StartsWith(log.Identity(), kKafkaIdentity); }

  EventLog& log;
  const StoreScan& scan;
  AuditCheck& records;
  EventIds ids;
  Incomes incomes;
  EffectiveTimes times;
  Replayed replayed;
  StoreCursor hashes;
  std::uint64_t next = 0;
  std::size_t single = 0;  // so many records are read one by one
  bool broken = false;     // a record is missing or damaged: what follows cannot be replayed
  bool lost = false;       // too many are
  bool complete = false;   // all was replayed
  std::vector<std::uint64_t> damaged;  // offsets that something was said of
  std::int64_t last_append_ms = 0;
  Digest last_hash{};
};

LogPass::LogPass(EventLog& log, const StoreScan& scan, AuditReport& report)
    : impl_(std::make_unique<Impl>(log, scan, report)) {}

LogPass::~LogPass() = default;

bool LogPass::replayed() const {
  return impl_->complete;
}

absl::Status LogPass::Run(std::uint64_t end, const Progress& progress, const Reached& reached) {
  return impl_->Run(end, progress, reached);
}

}  // namespace qmarket

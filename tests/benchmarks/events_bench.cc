// How fast events are read and written, hashed and logged.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"

#include "events/check.h"
#include "events/digest.h"
#include "events/embedded_log.h"
#include "events/event_codec.h"
#include "events/event_json.h"
#include "events/fingerprint.h"
#include "events/outcome_codec.h"
#include "events/outcome_wire.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

Event Bid() {
  return {"b7c1-0123456789ab", 1'767'225'600'000, "user:ana", "slurm",
          BidPlaced{"job-9181", "vision", "h100", 64}};
}

Event Tick() {
  return {"tick-1767225600000", 1'767'225'600'000, "", "", ClockTicked{}};
}

Event Sample(std::int64_t which) {
  return which == 0 ? Tick() : Bid();
}

Outcome Posted() {
  return CreditsPosted{PostingKind::kCharge, "search", "team:vision",    "spent:search:h100",
                       123'456'789,          0,        1'767'225'600'000};
}

// Argument: 0 a tick, 1 a bid.
void BM_ParseJson(benchmark::State& state) {
  const std::string json = EventToJson(Sample(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(ParseEvent(json));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_ParseJson)->Arg(0)->Arg(1);

void BM_WriteJson(benchmark::State& state) {
  const Event event = Sample(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(EventToJson(event));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_WriteJson)->Arg(0)->Arg(1);

void BM_DecodeEvent(benchmark::State& state) {
  const std::string record = EncodeEvent(Sample(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(DecodeEvent(record));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_DecodeEvent)->Arg(0)->Arg(1);

void BM_EncodeEvent(benchmark::State& state) {
  const Event event = Sample(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(EncodeEvent(event));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_EncodeEvent)->Arg(0)->Arg(1);

// What the matcher does with each event to know a repetition.
void BM_FingerprintEvent(benchmark::State& state) {
  const Event event = Sample(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(FingerprintOf(CanonicalEvent(event)));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_FingerprintEvent)->Arg(0)->Arg(1);

void BM_Sha256(benchmark::State& state) {
  const std::string bytes(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state)
    benchmark::DoNotOptimize(FingerprintOf(bytes));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

BENCHMARK(BM_Sha256)->Arg(16)->Arg(64)->Arg(256)->Arg(4096);

// One outcome is one item.
void BM_EncodeOutcomes(benchmark::State& state) {
  const std::vector<Outcome> outcomes(static_cast<std::size_t>(state.range(0)), Posted());
  std::string bytes;
  for (auto _ : state) {
    bytes.clear();
    AppendOutcomes(outcomes, bytes);
    benchmark::DoNotOptimize(bytes.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(BM_EncodeOutcomes)->Arg(1)->Arg(1000);

void BM_DecodeOutcomes(benchmark::State& state) {
  const std::string bytes =
      EncodeOutcomes(std::vector<Outcome>(static_cast<std::size_t>(state.range(0)), Posted()));
  for (auto _ : state)
    benchmark::DoNotOptimize(DecodeOutcomes(bytes));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(BM_DecodeOutcomes)->Arg(1)->Arg(1000);

void BM_EncodeOutcomeRecord(benchmark::State& state) {
  const Outcome outcome = Posted();
  for (auto _ : state)
    benchmark::DoNotOptimize(EncodeOutcomeRecord(7, 1, outcome));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_EncodeOutcomeRecord);

void BM_DigestLink(benchmark::State& state) {
  const std::string bytes = EncodeOutcomes({Posted()});
  DigestChain chain;
  std::uint64_t offset = 0;
  for (auto _ : state)
    chain.Add(offset++, bytes);
  benchmark::DoNotOptimize(chain.value());
}

BENCHMARK(BM_DigestLink);

// One record is one item. Argument: records in a call.
void BM_LogAppendBuffered(benchmark::State& state) {
  const TempFolder folder;
  const auto log = EmbeddedLog::Open(folder.path(), EmbeddedLog::Mode::kReadWrite);
  QM_CHECK(log.ok(), "the log does not open");
  const std::vector<std::string> records(static_cast<std::size_t>(state.range(0)),
                                         EncodeEvent(Bid()));
  for (auto _ : state) {
    QM_CHECK((*log)->Append(records, EventLog::Durability::kBuffered).ok(), "no append");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(BM_LogAppendBuffered)->Arg(1)->Arg(100);

// Calls of one record, from as many threads; all of them share the log, and its syncs.
void BM_LogAppendDurable(benchmark::State& state) {
  static const TempFolder folder;
  static const auto log = EmbeddedLog::Open(folder.path(), EmbeddedLog::Mode::kReadWrite);
  QM_CHECK(log.ok(), "the log does not open");
  const std::vector<std::string> records = {EncodeEvent(Bid())};
  for (auto _ : state) {
    QM_CHECK((*log)->Append(records, EventLog::Durability::kDurable).ok(), "no append");
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_LogAppendDurable)->ThreadRange(1, 64)->UseRealTime();

// Argument: records in a batch. A million records, most of them in files.
void BM_LogRead(benchmark::State& state) {
  constexpr std::uint64_t kRecords = 1'000'000;
  static const TempFolder folder;
  static const auto log = [] {
    auto opened = EmbeddedLog::Open(folder.path(), EmbeddedLog::Mode::kReadWrite);
    QM_CHECK(opened.ok(), "the log does not open");
    Event event = Bid();
    for (std::uint64_t i = 0; i < kRecords;) {
      std::vector<std::string> records;
      for (int n = 0; n < 1'000; ++n, ++i) {
        event.event_id = absl::StrCat("b7c1-", i * 0x9e3779b97f4a7c15);
        records.push_back(EncodeEvent(event));
      }
      QM_CHECK((*opened)->Append(records, EventLog::Durability::kBuffered).ok(), "no append");
    }
    return *std::move(opened);
  }();
  std::uint64_t next = 0;
  std::int64_t read = 0;
  for (auto _ : state) {
    if (next == kRecords) next = 0;
    const absl::StatusOr<LogBatch> batch =
        log->Read(next, static_cast<std::size_t>(state.range(0)), 64 << 20);
    QM_CHECK(batch.ok() && !batch->records.empty(), "no record");
    next = batch->next_offset;
    read += static_cast<std::int64_t>(batch->records.size());
  }
  state.SetItemsProcessed(read);
}

BENCHMARK(BM_LogRead)->Arg(1)->Arg(100)->Arg(10'000);

}  // namespace
}  // namespace qmarket

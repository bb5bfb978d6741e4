#include "tests/audit/doctor.h"

#include <map>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"

#include "events/embedded_log.h"
#include "events/event_codec.h"
#include "events/outcome_codec.h"
#include "ledger/store/format.h"
#include "ledger/store/store.h"
#include "matcher/core/market.h"
#include "matcher/process/engine.h"
#include "replay/audit/audit.h"

namespace qmarket {
namespace {

class RecordList {
 public:
  void Add(std::int64_t minute, const Payload& payload, const std::string& memo = "") {
    AddWithId(absl::StrCat("e", records_.size()), minute, payload, memo);
  }

  void AddWithId(const std::string& id, std::int64_t minute, const Payload& payload,
                 const std::string& actor = "") {
    records_.push_back(EncodeEvent({.event_id = id,
                                    .time_ms = kDoctorStart + minute * 60'000,
                                    .actor = actor,
                                    .source = "test",
                                    .payload = payload}));
  }

  void AddBytes(std::string bytes) { records_.push_back(std::move(bytes)); }

  std::vector<std::string> Take() { return std::move(records_); }

 private:
  std::vector<std::string> records_;
};

void AddTeams(RecordList& list) {
  constexpr std::int64_t kCredit = 1'000'000;
  for (const char* pool : {"search", "ads"}) {
    list.Add(0, PoolConfigured{.pool = pool, .market_weight_micros_per_hour = 100 * kCredit});
  }
  for (const auto& [team, pool] : std::vector<std::pair<const char*, const char*>>{
           {"rank", "search"}, {"see", "search"}, {"bid", "ads"}, {"click", "ads"}}) {
    list.Add(
        0, TeamConfigured{.team = team, .pool = pool, .income_micros_per_hour = 40 * kCredit + 7});
  }
  list.Add(0, SupplyChanged{.resource = "h100", .owner = "", .chips = 16, .reason = ""});
  list.Add(0, SupplyChanged{.resource = "a100", .owner = "ads", .chips = 8, .reason = ""});
}

void AddBids(RecordList& list) {
  int number = 0;
  for (const char* team : {"rank", "see", "bid", "click"}) {
    for (const char* resource : {"h100", "a100"}) {
      list.Add(0, BidPlaced{.bid = absl::StrCat("job-", number++),
                            .team = team,
                            .resource = resource,
                            .chips = 7,
                            .min_chips = 1});
    }
  }
}

}  // namespace

std::vector<std::string> DoctorRecords() {
  RecordList list;
  AddTeams(list);
  AddBids(list);
  for (int minute = 1; minute <= 50; ++minute) {
    if (minute == 8) {
      list.Add(minute, BudgetGranted{.team = "rank", .amount_micros = 5'000'000, .memo = "bonus"});
      list.Add(minute, BudgetGranted{.team = "see", .amount_micros = -1'000'000, .memo = ""});
      list.Add(
          minute,
          CreditsTransferred{
              .from_team = "rank", .to_team = "see", .amount_micros = 2'000'000, .memo = "lent"});
    }
    if (minute == 12) {
      list.Add(minute - 2, BudgetGranted{.team = "bid", .amount_micros = 9, .memo = ""});  // late
      list.AddWithId("e3", minute, ClockTicked{});  // an id that is known
      list.Add(minute, BudgetGranted{.team = "nobody", .amount_micros = 9, .memo = ""});
      list.AddBytes("no event");
    }
    if (minute == 20) {
      list.Add(minute, ChipsPreempted{.bid = "job-0", .chips = 2, .reason = "node_failure"});
      list.Add(minute, BidWithdrawn{.bid = "job-5", .reason = "finished"});
      list.Add(minute, SupplyChanged{.resource = "h100", .owner = "", .chips = 12, .reason = ""});
    }
    list.Add(minute, ClockTicked{});
  }
  return list.Take();
}

MarketFolder FolderIn(const std::string& dir) {
  return {.log = dir + "/log", .store = dir + "/store", .checkpoints = dir + "/checkpoints"};
}

MarketFolder MakeMarket(const std::string& dir, const std::vector<std::string>& records) {
  const MarketFolder folder = FolderIn(dir);
  EmbeddedLog::Options log_options;
  log_options.clock = [] { return kDoctorStart + 3'600'000; };
  auto log = EmbeddedLog::Open(folder.log, EmbeddedLog::Mode::kReadWrite, log_options);
  if (!log.ok()) {
    ADD_FAILURE() << log.status();
    return folder;
  }
  EXPECT_TRUE((*log)->Append(records, EventLog::Durability::kDurable).ok());
  auto store =
      LedgerStore::Open(folder.store, LedgerStore::Mode::kReadWrite,
                        {.log_identity = (*log)->Identity(), .rules_version = kRulesVersion});
  if (!store.ok()) {
    ADD_FAILURE() << store.status();
    return folder;
  }
  EngineOptions options;
  options.max_batch_records = 10;  // several commits and blocks
  options.checkpoints_dir = folder.checkpoints;
  options.checkpoint_records = 30;
  auto engine = Engine::Open(**log, store->get(), options);
  if (!engine.ok()) {
    ADD_FAILURE() << engine.status();
    return folder;
  }
  constexpr std::uint64_t kStep = 35;
  std::uint64_t end = 0;
  while (end < records.size()) {
    end += kStep;
    const auto applied = (*engine)->Follow(end);
    EXPECT_TRUE(applied.ok()) << applied.status();
    (*engine)->Checkpoint();  // waits for the one that is being written
  }
  return folder;
}

void RunAudit(const MarketFolder& folder, AuditReport& report) {
  const absl::Status status = AuditMarket(
      {.log_dir = folder.log, .store_dir = folder.store, .checkpoints_dir = folder.checkpoints},
      [](const char*, std::uint64_t, std::uint64_t) {}, report);
  EXPECT_TRUE(status.ok()) << status;
}

std::set<std::string> FailedChecks(const AuditReport& report) {
  std::set<std::string> failed;
  for (const AuditCheck& check : report.checks()) {
    if (check.findings() > 0) failed.insert(check.name());
  }
  return failed;
}

std::string FindingsOf(const AuditReport& report) {
  std::string text;
  for (const AuditFinding& finding : report.findings()) {
    absl::StrAppend(&text, AuditPartName(finding.where), ", ", finding.object,
                    finding.offset.has_value() ? absl::StrCat(" at ", *finding.offset) : "", ": ",
                    finding.what, "\n");
  }
  return text;
}

void Change(const std::string& dir, const std::function<void(rocksdb::DB&)>& change) {
  rocksdb::Options options;
  options.file_checksum_gen_factory = rocksdb::GetFileChecksumGenCrc32cFactory();
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, dir, &opened);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::unique_ptr<rocksdb::DB> db(opened);
  change(*db);
}

void Put(rocksdb::DB& db, const std::string& key, const std::string& value) {
  ASSERT_TRUE(db.Put(rocksdb::WriteOptions(), key, value).ok());
}

void Remove(rocksdb::DB& db, const std::string& key) {
  ASSERT_TRUE(db.Delete(rocksdb::WriteOptions(), key).ok());
}

std::string Get(rocksdb::DB& db, const std::string& key) {
  std::string value;
  EXPECT_TRUE(db.Get(rocksdb::ReadOptions(), key, &value).ok());
  return value;
}

void EditSeries(rocksdb::DB& db, const std::string& prefix, std::uint64_t position,
                const EditEntry& edit) {
  store_format::BlockBuilder place;
  place.Add(position, "");
  const std::string key = place.Finish(prefix).key;
  const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator(rocksdb::ReadOptions()));
  at->SeekForPrev(key);
  std::map<std::uint64_t, std::string> entries;
  std::string old_key;
  if (at->Valid() && at->key().size() == key.size() && at->key().starts_with(prefix)) {
    old_key = at->key().ToString();
    const std::string value = at->value().ToString();
    const auto decoded = store_format::DecodeBlock(old_key, value);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    for (const store_format::Entry& entry : *decoded)
      entries[entry.position] = std::string(entry.value);
  }
  const auto found = entries.find(position);
  const std::optional<std::string> edited =
      edit(found == entries.end() ? std::nullopt : std::optional(found->second));
  if (edited.has_value()) {
    entries[position] = *edited;
  } else {
    entries.erase(position);
  }
  if (!old_key.empty()) Remove(db, old_key);
  if (entries.empty()) return;
  store_format::BlockBuilder builder;
  for (const auto& [offset, value] : entries)
    builder.Add(offset, value);
  const store_format::BlockBuilder::Block block = builder.Finish(prefix);
  Put(db, block.key, block.value);
}

void EditOutcomes(const MarketFolder& folder, std::uint64_t offset,
                  const std::function<void(std::vector<Outcome>&)>& edit) {
  Change(folder.store, [&](rocksdb::DB& db) {
    EditSeries(db, store_format::OutcomePrefix(), offset,
               [&](const std::optional<std::string>& value) -> std::optional<std::string> {
                 auto outcomes =
                     value.has_value() ? *DecodeOutcomes(*value) : std::vector<Outcome>();
                 edit(outcomes);
                 if (outcomes.empty()) return std::nullopt;
                 return EncodeOutcomes(outcomes);
               });
  });
}

void EditPostings(const MarketFolder& folder, std::uint64_t offset,
                  const std::function<void(std::vector<Posting>&)>& edit) {
  Change(folder.store, [&](rocksdb::DB& db) {
    EditSeries(db, store_format::JournalPrefix(), offset,
               [&](const std::optional<std::string>& value) -> std::optional<std::string> {
                 auto postings = value.has_value() ? *store_format::DecodePostings(*value)
                                                   : std::vector<Posting>();
                 edit(postings);
                 if (postings.empty()) return std::nullopt;
                 std::string bytes;
                 store_format::AppendPostings(bytes, postings);
                 return bytes;
               });
  });
}

std::vector<std::pair<std::uint64_t, std::vector<Outcome>>> AllOutcomes(
    const MarketFolder& folder) {
  std::vector<std::pair<std::uint64_t, std::vector<Outcome>>> all;
  const auto store = LedgerStore::Open(folder.store, LedgerStore::Mode::kReadOnly, {});
  if (!store.ok()) {
    ADD_FAILURE() << store.status();
    return all;
  }
  const absl::Status read =
      (*store)->Outcomes({}, [&](std::uint64_t offset, absl::string_view canonical) {
        all.emplace_back(offset, *DecodeOutcomes(canonical));
        return true;
      });
  EXPECT_TRUE(read.ok()) << read;
  return all;
}

}  // namespace qmarket

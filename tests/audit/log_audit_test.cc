// What someone does to the log by hand, with right checksums: found, and where.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/big_endian.h"
#include "events/embedded_log.h"
#include "events/event.h"
#include "events/event_codec.h"
#include "events/log_record.h"
#include "replay/audit/report.h"
#include "tests/audit/doctor.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

std::string Key(std::uint64_t offset) {
  const BigEndian key = ToBigEndian(offset);
  return {key.data(), key.size()};
}

std::string Value(const LogRecord& record) {
  const auto header = LogValueHeader(record.offset, record.append_time_ms, record.bytes);
  return std::string(header.data(), header.size()) + record.bytes;
}

LogRecord RecordAt(rocksdb::DB& db, std::uint64_t offset) {
  const absl::StatusOr<LogRecord> record = ParseLogRecord(Key(offset), Get(db, Key(offset)));
  EXPECT_TRUE(record.ok()) << record.status();
  return record.ok() ? *record : LogRecord();
}

void Write(rocksdb::DB& db, const LogRecord& record) {
  Put(db, Key(record.offset), Value(record));
}

class LogAuditTest : public testing::Test {
 protected:
  LogAuditTest() : records_(DoctorRecords()), folder_(MakeMarket(dir_.path(), records_)) {}

  void Audit() {
    RunAudit(folder_, report_);
    failed_ = FailedChecks(report_);
    findings_ = FindingsOf(report_);
  }

  // A finding in the log, at this offset.
  void ExpectAt(std::uint64_t offset, const std::string& what) {
    EXPECT_FALSE(report_.verified());
    EXPECT_THAT(findings_, HasSubstr(absl::StrCat("log, record at ", offset, ": ")));
    EXPECT_THAT(findings_, HasSubstr(what));
    for (const AuditFinding& finding : report_.findings())
      EXPECT_EQ(finding.where, AuditPart::kLog) << findings_;
  }

  void EditEvent(std::uint64_t offset, const std::function<void(Event&)>& edit) {
    Change(folder_.log, [&](rocksdb::DB& db) {
      LogRecord record = RecordAt(db, offset);
      Event event = *DecodeEvent(record.bytes);
      edit(event);
      record.bytes = EncodeEvent(event);
      Write(db, record);
    });
  }

  // The offset of the first record with such a payload.
  template <typename T>
  std::uint64_t Find() {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const absl::StatusOr<Event> event = DecodeEvent(records_[i]);
      if (event.ok() && std::holds_alternative<T>(event->payload)) return i;
    }
    ADD_FAILURE() << "there is none";
    return 0;
  }

  TempFolder dir_;
  std::vector<std::string> records_;
  MarketFolder folder_;
  AuditReport report_;
  std::set<std::string> failed_;
  std::string findings_;
};

TEST_F(LogAuditTest, ARecordAppended) {
  const std::uint64_t end = records_.size();
  Change(folder_.log, [&](rocksdb::DB& db) {
    LogRecord record = RecordAt(db, end - 1);
    record.offset = end;
    record.bytes =
        EncodeEvent({.event_id = "by hand",
                     .time_ms = kDoctorStart + 3'000'000,
                     .actor = "",
                     .source = "",
                     .payload = BudgetGranted{.team = "rank", .amount_micros = 9, .memo = ""}});
    Write(db, record);
  });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("durable mark"));
  EXPECT_THAT(findings_, HasSubstr(absl::StrCat("log, DURABLE at ", end,
                                                ": the log has 1 records "
                                                "beyond its mark, from offset ",
                                                end)));
  EXPECT_THAT(report_.notes(), ElementsAre(HasSubstr("has not applied the log from offset")));
}

TEST_F(LogAuditTest, ARecordDroppedLeavesAHole) {
  Change(folder_.log, [](rocksdb::DB& db) { Remove(db, Key(30)); });
  Audit();
  ExpectAt(30, "the record at offset 30 is missing");
}

TEST_F(LogAuditTest, TwoRecordsDroppedAreTwoFindings) {
  Change(folder_.log, [](rocksdb::DB& db) {
    Remove(db, Key(30));
    Remove(db, Key(41));
  });
  Audit();
  ExpectAt(30, "the record at offset 30 is missing");
  ExpectAt(41, "the record at offset 41 is missing");
  EXPECT_EQ(report_.findings().size(), 2U);
}

TEST_F(LogAuditTest, ARecordDroppedAndTheOthersMovedUp) {
  const std::uint64_t end = records_.size();
  Change(folder_.log, [&](rocksdb::DB& db) {
    for (std::uint64_t offset = 30; offset + 1 < end; ++offset) {
      LogRecord record = RecordAt(db, offset + 1);
      record.offset = offset;
      Write(db, record);
    }
    Remove(db, Key(end - 1));
  });
  Audit();
  // The mark knows that one is gone before anything is read.
  EXPECT_FALSE(report_.verified());
  EXPECT_THAT(findings_, HasSubstr(absl::StrCat("has lost the records from offset ", end - 1)));
  // Without the mark, the records themselves say so.
  std::filesystem::remove(folder_.log + "/DURABLE");
  AuditReport again;
  RunAudit(folder_, again);
  const std::string findings = FindingsOf(again);
  EXPECT_THAT(findings, AllOf(HasSubstr("log, DURABLE: the mark is missing"),
                              HasSubstr("log, record at 30: it is not the record")));
  EXPECT_GE(again.found(), end - 30);
}

TEST_F(LogAuditTest, TheLastRecordDropped) {
  const std::uint64_t end = records_.size();
  Change(folder_.log, [&](rocksdb::DB& db) { Remove(db, Key(end - 1)); });
  Audit();
  EXPECT_FALSE(report_.verified());
  EXPECT_THAT(findings_, HasSubstr(absl::StrCat("has lost the records from offset ", end - 1)));
}

TEST_F(LogAuditTest, TwoRecordsSwapped) {
  const std::uint64_t tick = Find<ClockTicked>();
  Change(folder_.log, [&](rocksdb::DB& db) {
    LogRecord first = RecordAt(db, tick + 3);
    LogRecord second = RecordAt(db, tick + 4);
    std::swap(first.bytes, second.bytes);
    Write(db, first);
    Write(db, second);
  });
  Audit();
  ExpectAt(tick + 3, "it is not the record that the ledger has applied there");
  ExpectAt(tick + 4, "it is not the record that the ledger has applied there");
}

TEST_F(LogAuditTest, RecordsCopiedIntoAnothersPlaceWithoutAChecksum) {
  Change(folder_.log, [](rocksdb::DB& db) { Put(db, Key(12), Get(db, Key(13))); });
  Audit();
  ExpectAt(12, "the record at offset 12 is damaged: its checksum is wrong");
}

TEST_F(LogAuditTest, AMemoEdited) {
  const std::uint64_t offset = Find<BudgetGranted>();
  EditEvent(offset, [](Event& event) { std::get<BudgetGranted>(event.payload).memo = "a gift"; });
  Audit();
  ExpectAt(offset, "it is not the record that the ledger has applied there");
  // No outcome depends on it, so that nothing else is found.
  EXPECT_THAT(failed_, UnorderedElementsAre("log records"));
  EXPECT_EQ(report_.findings().size(), 1U);
}

TEST_F(LogAuditTest, AnActorEdited) {
  EditEvent(5, [](Event& event) { event.actor = "someone else"; });
  Audit();
  ExpectAt(5, "it is not the record that the ledger has applied there");
  EXPECT_EQ(report_.findings().size(), 1U);
}

TEST_F(LogAuditTest, AnAppendTimeEdited) {
  Change(folder_.log, [](rocksdb::DB& db) {
    LogRecord record = RecordAt(db, 9);
    record.append_time_ms += 5;
    Write(db, record);
  });
  Audit();
  ExpectAt(9, "it is not the record that the ledger has applied there");
  ExpectAt(10, "its append time is ");
}

TEST_F(LogAuditTest, AnAmountEdited) {
  const std::uint64_t offset = Find<BudgetGranted>();
  EditEvent(offset,
            [](Event& event) { std::get<BudgetGranted>(event.payload).amount_micros += 1; });
  Audit();
  ExpectAt(offset, "it is not the record that the ledger has applied there");
  EXPECT_THAT(findings_, HasSubstr(absl::StrCat("log, outcomes at ", offset, ": outcome 0: ")));
  EXPECT_THAT(failed_, Contains("replay"));
}

TEST_F(LogAuditTest, AnotherLog) {
  const std::string other = dir_ / "other";
  MakeMarket(other, records_);
  folder_.log = FolderIn(other).log;
  Audit();
  EXPECT_THAT(failed_, Contains("log and ledger"));
  EXPECT_THAT(findings_, HasSubstr("and the ledger was made from"));
}

TEST_F(LogAuditTest, ADamagedMark) {
  std::filesystem::resize_file(folder_.log + "/DURABLE", 5);
  Audit();
  EXPECT_FALSE(report_.verified());
  EXPECT_THAT(findings_, AllOf(HasSubstr("log, "), HasSubstr("DURABLE is damaged")));
  // The books need no log.
  EXPECT_THAT(failed_, Not(Contains("double entry")));
}

TEST_F(LogAuditTest, ALogThatIsGone) {
  std::filesystem::remove_all(folder_.log);
  std::filesystem::create_directory(folder_.log);
  Audit();
  EXPECT_FALSE(report_.verified());
  EXPECT_THAT(findings_, HasSubstr("log, " + folder_.log + ": there is no database"));
}

TEST_F(LogAuditTest, RecordsThatAreNotAppliedAreReadAndNoted) {
  {
    auto log = EmbeddedLog::Open(folder_.log, EmbeddedLog::Mode::kReadWrite);
    ASSERT_TRUE(log.ok()) << log.status();
    ASSERT_TRUE((*log)->Append({"one", "two"}, EventLog::Durability::kDurable).ok());
  }
  Audit();
  EXPECT_THAT(findings_, IsEmpty());
  EXPECT_TRUE(report_.verified());
  EXPECT_THAT(report_.notes(), ElementsAre(HasSubstr(absl::StrCat(
                                   "has not applied the log from offset ", records_.size()))));
}

TEST_F(LogAuditTest, BesideAWriter) {
  auto log = EmbeddedLog::Open(folder_.log, EmbeddedLog::Mode::kReadWrite);
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_TRUE((*log)->Append({"one", "two"}, EventLog::Durability::kDurable).ok());
  Audit();
  EXPECT_THAT(findings_, IsEmpty());
  EXPECT_TRUE(report_.verified());
}

}  // namespace
}  // namespace qmarket

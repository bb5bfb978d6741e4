// What the program says to data that a newer version has written.
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/check.h"
#include "events/embedded_log.h"
#include "events/event.h"
#include "events/event_codec.h"
#include "tests/support/child.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Ran {
  int status = -1;
  std::string text;  // both outputs
};

class NewerData : public ::testing::Test {
 protected:
  void SetUp() override { Append({EncodeEvent(EventOf("e0", PoolConfigured{.pool = "search"}))}); }

  static Event EventOf(const std::string& id, const Payload& payload) {
    return {.event_id = id, .time_ms = 1'000, .actor = "", .source = "", .payload = payload};
  }

  void Append(const std::vector<std::string>& records) {
    const auto log = EmbeddedLog::Open(data_ / "log", EmbeddedLog::Mode::kReadWrite);
    ASSERT_TRUE(log.ok()) << log.status();
    ASSERT_TRUE((*log)->Append(records, EventLog::Durability::kDurable).ok());
  }

  // Sets a key of the database in a folder of the data.
  void Put(const std::string& folder, absl::string_view key, absl::string_view value) {
    rocksdb::DB* opened = nullptr;
    const rocksdb::Status status = rocksdb::DB::Open(rocksdb::Options(), data_ / folder, &opened);
    ASSERT_TRUE(status.ok()) << status.ToString();
    const std::unique_ptr<rocksdb::DB> db(opened);
    ASSERT_TRUE(db->Put({}, {key.data(), key.size()}, {value.data(), value.size()}).ok());
  }

  // Runs the program on the data; `command` is its words.
  [[nodiscard]] Ran RunWith(const std::string& command) const {
    const char* binary = std::getenv("QMARKET_BINARY");
    QM_CHECK(binary != nullptr, "QMARKET_BINARY is not set");
    std::vector<std::string> arguments = {binary};
    for (const absl::string_view word : absl::StrSplit(command, ' ')) {
      arguments.emplace_back(word);
    }
    arguments.insert(arguments.end(), {"--data", data_.path()});
    Child child(arguments);
    Ran ran;
    ran.text = child.ReadAll();
    ran.status = child.Wait();
    return ran;
  }

  TempFolder data_;
};

// A record of a payload type that this version does not know: a tick's, changed.
std::string RecordOfANewerSchema(const Event& tick) {
  const std::string bytes = EncodeEvent(tick);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = 99;
    const absl::Status status = DecodeEvent(changed).status();
    if (absl::string_view(status.message()).find("payload type 99") != absl::string_view::npos) {
      return changed;
    }
  }
  ADD_FAILURE() << "no byte of the record is its payload type";
  return "";
}

TEST_F(NewerData, ALogOfANewerFormatIsRefusedByAll) {
  Put("log",
      "\xff"
      "format",
      "2");
  for (const char* command : {"replay", "run --once", "replay --verify"}) {
    const Ran ran = RunWith(command);
    EXPECT_EQ(ran.status, 1) << command << ": " << ran.text;
    if (absl::string_view(command) == "replay --verify") continue;  // it has no ledger, either
    EXPECT_THAT(ran.text, HasSubstr("has format 2, which is newer than this program")) << command;
  }
}

TEST_F(NewerData, ARecordOfANewerSchemaIsRejectedAndStopsNothing) {
  Append({RecordOfANewerSchema(EventOf("e1", ClockTicked{})),
          EncodeEvent(EventOf("e2", PoolConfigured{.pool = "ads"}))});
  const Ran run = RunWith("run --once");
  EXPECT_EQ(run.status, 0) << run.text;
  const Ran replay = RunWith("replay --format json");
  EXPECT_EQ(replay.status, 0) << replay.text;
  EXPECT_THAT(replay.text, HasSubstr("\"event_id\": \"e1\""));
  EXPECT_THAT(replay.text, HasSubstr("\"code\": \"malformed\""));
  EXPECT_THAT(replay.text, HasSubstr("\"ads\""));
}

TEST_F(NewerData, RecordsThatAreNoGoodEventAreNamedAndLeftOutOfTheEvents) {
  Append(
      {RecordOfANewerSchema(EventOf("e1", ClockTicked{})), "poison",
       EncodeEvent(EventOf(
           "e3", SupplyChanged{.resource = "h100", .owner = "", .chips = 4'000'001, .reason = ""})),
       EncodeEvent(EventOf("e4", PoolConfigured{.pool = "a b"})),
       EncodeEvent(EventOf("e5", PoolConfigured{.pool = "ads"}))});
  const Ran events = RunWith("events --format json");
  EXPECT_EQ(events.status, 0) << events.text;
  for (const char* said : {"offset 1 left out: ", "payload type 99", "offset 2 left out: ",
                           "offset 3 left out: SupplyChanged.chips is 4000001", "offset 4 left out",
                           "\"e0\"", "\"e5\""}) {
    EXPECT_THAT(events.text, HasSubstr(said));
  }
  for (const char* not_said : {"\"e1\"", "\"e3\"", "\"e4\"", "offset 0", "offset 5"}) {
    EXPECT_THAT(events.text, Not(HasSubstr(not_said)));
  }
}

TEST_F(NewerData, AStoreOfANewerFormatIsRefusedByAll) {
  ASSERT_EQ(RunWith("run --once").status, 0);
  // The key and the value of ledger/store/format.h: the version as four bytes, big endian.
  Put("store", "F", absl::string_view("\0\0\0\3", 4));
  for (const char* command : {"run --once", "balance", "replay --verify"}) {
    const Ran ran = RunWith(command);
    EXPECT_EQ(ran.status, 1) << command << ": " << ran.text;
    EXPECT_THAT(ran.text, HasSubstr("it has format 3")) << command;
  }
}

}  // namespace
}  // namespace qmarket

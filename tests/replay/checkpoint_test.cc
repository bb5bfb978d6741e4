// Checkpoints: the state is the same from any of them, from none, and whatever happens to their
// files.

#include "matcher/process/checkpoint.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/event.h"
#include "events/event_codec.h"
#include "events/event_log.h"
#include "ledger/store/store.h"
#include "matcher/core/market.h"
#include "matcher/process/checkpoint_format.h"
#include "matcher/process/engine.h"
#include "replay/from_log.h"
#include "tests/support/memory_log.h"
#include "tests/support/temp_folder.h"
#include "tests/workload/workload.h"

namespace qmarket {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::uint64_t kEvery = 250;

void NoProgress(std::uint64_t /*events*/) {}

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest() {
    const WorkloadSize size = {.seed = 5,
                               .events = 2000,
                               .bids = 700,
                               .teams = 20,
                               .pools = 4,
                               .resources = 2,
                               .ticks = 40,
                               .mean_bid_minutes = 200};
    std::uint64_t made = 0;
    MakeWorkload(size, [&](const Event& event) {
      log_.set_append_time_ms(event.time_ms);
      std::vector<std::string> records = {EncodeEvent(event)};
      if (++made % 50 == 0) records.push_back(records.front());  // a duplicate
      EXPECT_TRUE(log_.Append(records, EventLog::Durability::kBuffered).ok());
    });
    end_ = *log_.EndOffset();
  }

  [[nodiscard]] std::string Dir() const { return folder_ / "checkpoints"; }

  std::unique_ptr<Engine> OpenEngine() {
    engine_.reset();
    store_.reset();
    auto store =
        LedgerStore::Open(folder_ / "store", LedgerStore::Mode::kReadWrite,
                          {.log_identity = log_.Identity(), .rules_version = kRulesVersion});
    EXPECT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    EngineOptions options;
    options.max_batch_records = 50;
    options.checkpoints_dir = Dir();
    options.checkpoint_records = kEvery;
    options.on_note = [this](const std::string& line) { notes_.push_back(line); };
    auto engine = Engine::Open(log_, store_.get(), std::move(options));
    EXPECT_TRUE(engine.ok()) << engine.status();
    return engine.ok() ? *std::move(engine) : nullptr;
  }

  // Applies all, waiting for each checkpoint, so that none is left out.
  void Run(std::uint64_t end) {
    engine_ = OpenEngine();
    ASSERT_NE(engine_, nullptr);
    while (engine_->next_offset() < end) {
      ASSERT_TRUE(engine_->FollowBatch(end).ok());
      if (engine_->next_offset() % kEvery == 0) engine_->Checkpoint();
    }
    ASSERT_TRUE(engine_->Flush().ok());
    engine_->Checkpoint();
  }

  RebuiltReplica Before(std::uint64_t end, const std::string& dir) {
    auto rebuilt = ReplicaBefore({log_, dir}, end, NoProgress);
    EXPECT_TRUE(rebuilt.ok()) << rebuilt.status();
    return *std::move(rebuilt);
  }

  // Everything that there is of a replica, as bytes.
  static std::string BytesOf(const Replica& replica) {
    std::string bytes = absl::StrCat(ToHex(replica.digest()), " ", replica.offset().value_or(0),
                                     " ", replica.events(), " ", replica.market().PresentImage(),
                                     replica.market().PastImage({}));
    for (const RejectedEvent& rejected : replica.rejected())
      absl::StrAppend(&bytes, rejected.event_id, "@", rejected.offset, " ");
    for (const PreemptedBid& preempted : replica.preempted())
      absl::StrAppend(&bytes, preempted.bid, "@", preempted.offset, preempted.reason, " ");
    return bytes;
  }

  void ExpectSameEverywhere() {
    for (const std::uint64_t end : {std::uint64_t{0}, std::uint64_t{1}, kEvery - 1, kEvery,
                                    kEvery + 1, 3 * kEvery + 77, end_ - 1, end_}) {
      EXPECT_EQ(BytesOf(Before(end, Dir()).replica), BytesOf(Before(end, "").replica)) << end;
    }
  }

  TempFolder folder_;
  MemoryLog log_;
  std::uint64_t end_ = 0;
  std::unique_ptr<LedgerStore> store_;
  std::unique_ptr<Engine> engine_;
  std::vector<std::string> notes_;
};

TEST_F(CheckpointTest, TheStateIsTheSameFromAnyOfThem) {
  Run(end_);
  EXPECT_GE(ListCheckpoints(Dir()).size(), end_ / kEvery);
  ExpectSameEverywhere();
  const RebuiltReplica rebuilt = Before(3 * kEvery + 77, Dir());
  ASSERT_TRUE(rebuilt.origin.checkpoint.has_value());
  EXPECT_GE(*rebuilt.origin.checkpoint, 2 * kEvery);
  EXPECT_LE(rebuilt.origin.events, kEvery + 77);
  EXPECT_THAT(DescribeOrigin(rebuilt.origin), HasSubstr("from the checkpoint at offset "));
  EXPECT_GT(rebuilt.replica.rejected().size(), 0U);
}

TEST_F(CheckpointTest, TheStateAtAnyTimeIsTheSame) {
  Run(end_);
  const std::int64_t first = *Before(1, "").replica.market().time_ms();
  const std::int64_t last = *Before(end_, "").replica.market().time_ms();
  for (int i = -1; i <= 41; ++i) {
    const Moment moment = {.offset = std::nullopt, .time_ms = first + (last - first) * i / 40};
    const auto from = StateAt({log_, Dir()}, moment, end_, NoProgress);
    const auto zero = StateAt({log_, ""}, moment, end_, NoProgress);
    ASSERT_TRUE(from.ok() && zero.ok());
    EXPECT_EQ(from->report.digest, zero->report.digest) << i;
    EXPECT_EQ(from->report.offset, zero->report.offset) << i;
    EXPECT_EQ(from->report.time_ms, zero->report.time_ms) << i;
    EXPECT_EQ(from->report.rejected, zero->report.rejected) << i;
    EXPECT_EQ(from->report.preempted, zero->report.preempted) << i;
  }
}

TEST_F(CheckpointTest, AnOffsetBeyondTheEndIsSaidToBeSo) {
  Run(end_);
  const auto state = StateAt({log_, Dir()}, {.offset = end_, .time_ms = {}}, end_, NoProgress);
  EXPECT_TRUE(absl::IsOutOfRange(state.status())) << state.status();
}

TEST_F(CheckpointTest, AnEngineGoesOnFromTheLastOne) {
  Run(end_ - 100);
  const std::uint64_t stopped = engine_->next_offset();
  const auto rebuilt = Before(stopped, Dir());
  EXPECT_EQ(rebuilt.origin.checkpoint, stopped);
  Run(end_);
  EXPECT_EQ(engine_->digest(), Before(end_, "").replica.digest());
  ExpectSameEverywhere();
  EXPECT_TRUE(notes_.empty()) << notes_.front();
}

TEST_F(CheckpointTest, WithoutThemAllIsTheSame) {
  Run(end_);
  const Digest digest = engine_->digest();
  engine_.reset();
  store_.reset();
  fs::remove_all(Dir());
  engine_ = OpenEngine();
  ASSERT_NE(engine_, nullptr);
  EXPECT_EQ(engine_->digest(), digest);
  ExpectSameEverywhere();
}

TEST_F(CheckpointTest, AnyFileCanBeDeleted) {
  Run(end_);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(Dir()))
    files.push_back(entry.path());
  ASSERT_GT(files.size(), 8U);
  for (const fs::path& file : files) {
    const fs::path aside = folder_ / "aside";
    fs::rename(file, aside);
    ExpectSameEverywhere();
    fs::rename(aside, file);
  }
}

TEST_F(CheckpointTest, AnyDamageIsPassedOverAndNamed) {
  Run(end_);
  std::mt19937 random(11);
  for (const auto& entry : fs::directory_iterator(Dir())) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    for (int i = 0; i < 8; ++i) {
      std::string damaged = whole;
      damaged[random() % damaged.size()] ^= static_cast<char>(1U << (random() % 8));
      if (i == 7) damaged.resize(random() % damaged.size());
      std::ofstream(entry.path(), std::ios::binary) << damaged;
      const RebuiltReplica rebuilt = Before(end_, Dir());
      EXPECT_EQ(rebuilt.replica.digest(), engine_->digest());
    }
    std::ofstream(entry.path(), std::ios::binary) << whole;
  }
  const std::string newest =
      absl::StrCat(Dir(), "/", checkpoint_format::StateFileName(ListCheckpoints(Dir()).back()));
  fs::resize_file(newest, 100);
  const RebuiltReplica rebuilt = Before(end_, Dir());
  ASSERT_EQ(rebuilt.origin.skipped.size(), 1U);
  EXPECT_THAT(rebuilt.origin.skipped[0], HasSubstr(newest));
  engine_ = OpenEngine();
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_THAT(notes_[0], HasSubstr(newest));
}

// Whatever has the name of a checkpoint: a folder, a pipe that nobody writes, a device without an
// end, a huge file of nothing.
TEST_F(CheckpointTest, WhatIsNoFileOfACheckpointIsPassedOver) {
  Run(end_);
  const std::string newest =
      absl::StrCat(Dir(), "/", checkpoint_format::StateFileName(ListCheckpoints(Dir()).back()));
  const auto expect_passed_over = [&] {
    const RebuiltReplica rebuilt = Before(end_, Dir());
    EXPECT_EQ(rebuilt.replica.digest(), engine_->digest());
    ASSERT_EQ(rebuilt.origin.skipped.size(), 1U);
    EXPECT_THAT(rebuilt.origin.skipped[0], HasSubstr(newest));
    fs::remove_all(newest);
  };
  fs::remove(newest);
  fs::create_directory(newest);
  expect_passed_over();
  ASSERT_EQ(mkfifo(newest.c_str(), 0600), 0);
  expect_passed_over();
  fs::create_symlink("/dev/zero", newest);
  expect_passed_over();
  std::ofstream(newest) << "";
  fs::resize_file(newest, std::uintmax_t{1} << 35U);
  expect_passed_over();
}

TEST_F(CheckpointTest, WhatAKilledWriterLeftIsRemoved) {
  fs::create_directories(Dir());
  const std::string part = absl::StrCat(Dir(), "/state-00000000000000000007.part");
  std::ofstream(part) << "half of it";
  Run(end_);
  EXPECT_FALSE(fs::exists(part));
}

TEST_F(CheckpointTest, AnUnknownVersionIsPassedOverWithAMessage) {
  Run(end_);
  const std::string newest =
      absl::StrCat(Dir(), "/", checkpoint_format::StateFileName(ListCheckpoints(Dir()).back()));
  std::ifstream in(newest, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  bytes[11] = 99;  // the format's version, whose checksum is made right again
  bytes.resize(bytes.size() - sizeof(Digest));
  const Digest hash = Sha256({bytes});
  bytes.append(hash.begin(), hash.end());
  std::ofstream(newest, std::ios::binary) << bytes;
  const RebuiltReplica rebuilt = Before(end_, Dir());
  ASSERT_EQ(rebuilt.origin.skipped.size(), 1U);
  EXPECT_THAT(rebuilt.origin.skipped[0], HasSubstr("has version 99, and this program knows"));
  EXPECT_TRUE(rebuilt.origin.checkpoint.has_value());
}

TEST_F(CheckpointTest, ThoseOfAnotherLogAreNotTaken) {
  Run(end_);
  LogRecord& record = log_.records()[end_ - 1];
  ++record.append_time_ms;
  const RebuiltReplica rebuilt = Before(end_, Dir());
  EXPECT_LT(rebuilt.origin.checkpoint, end_);
  ASSERT_FALSE(rebuilt.origin.skipped.empty());
  EXPECT_THAT(rebuilt.origin.skipped[0], HasSubstr("the log has another record there"));
}

TEST_F(CheckpointTest, AFolderThatCannotBeWrittenIsReportedAndNoHarm) {
  std::ofstream(Dir()) << "a file where the folder should be";
  Run(end_);
  EXPECT_EQ(engine_->digest(), Before(end_, "").replica.digest());
  ASSERT_FALSE(notes_.empty());
  EXPECT_THAT(notes_[0], HasSubstr("checkpoint"));
}

}  // namespace
}  // namespace qmarket

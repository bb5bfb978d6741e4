// Checkpoints that are damaged, changed with right hashes, or of a place that there is not.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "matcher/process/checkpoint.h"
#include "matcher/process/checkpoint_format.h"
#include "replay/audit/report.h"
#include "tests/audit/doctor.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using checkpoint_format::PastFile;
using checkpoint_format::PastFileName;
using checkpoint_format::StateFile;
using checkpoint_format::StateFileName;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class CheckpointAuditTest : public testing::Test {
 protected:
  CheckpointAuditTest()
      : folder_(MakeMarket(dir_.path(), DoctorRecords())),
        places_(ListCheckpoints(folder_.checkpoints)) {}

  void SetUp() override { ASSERT_GE(places_.size(), 2U); }

  std::string Path(const std::string& name) { return folder_.checkpoints + "/" + name; }

  void EditState(const std::function<void(StateFile&)>& edit) {
    const std::string path = Path(StateFileName(places_.back()));
    StateFile file = *checkpoint_format::DecodeState(ReadFile(path));
    edit(file);
    WriteFile(path, checkpoint_format::Encode(file));
  }

  void EditPast(const std::function<void(PastFile&)>& edit) {
    const std::string path = Path(PastFileName(places_.back()));
    PastFile file = *checkpoint_format::DecodePast(ReadFile(path));
    edit(file);
    const std::string bytes = checkpoint_format::Encode(file);
    WriteFile(path, bytes);
    EditState([&](StateFile& state) { state.past_hash = checkpoint_format::HashOf(bytes); });
  }

  // One finding, of this file, with these words.
  void ExpectFound(const std::string& name, const std::string& what) {
    AuditReport report;
    RunAudit(folder_, report);
    EXPECT_FALSE(report.verified());
    ASSERT_THAT(report.findings(), SizeIs(1)) << FindingsOf(report);
    EXPECT_EQ(report.findings()[0].where, AuditPart::kCheckpoint);
    EXPECT_EQ(report.findings()[0].object, name);
    EXPECT_THAT(report.findings()[0].what, HasSubstr(what));
  }

  TempFolder dir_;
  MarketFolder folder_;
  std::vector<std::uint64_t> places_;
};

TEST_F(CheckpointAuditTest, AByteOfAState) {
  const std::string name = StateFileName(places_[0]);
  std::string bytes = ReadFile(Path(name));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  WriteFile(Path(name), bytes);
  ExpectFound(name, "");
}

TEST_F(CheckpointAuditTest, AMarketThatNeverWas) {
  EditState([](StateFile& state) { state.present.back() ^= 1; });
  ExpectFound(StateFileName(places_.back()), "market: not what a replay of the log makes there");
}

TEST_F(CheckpointAuditTest, AnotherDigest) {
  EditState([](StateFile& state) { state.digest[5] ^= 1; });
  ExpectFound(StateFileName(places_.back()), "digest: not what");
}

TEST_F(CheckpointAuditTest, AnotherCount) {
  EditState([](StateFile& state) { ++state.events; });
  ExpectFound(StateFileName(places_.back()), "count of events: not what");
}

TEST_F(CheckpointAuditTest, AnotherLastRecord) {
  EditState([](StateFile& state) { state.last_record_hash[0] ^= 1; });
  ExpectFound(StateFileName(places_.back()), "hash of the last record: not what");
}

TEST_F(CheckpointAuditTest, APastThatNeverWas) {
  EditPast([](PastFile& past) { past.market.back() ^= 1; });
  ExpectFound(PastFileName(places_.back()), "market: not what");
}

TEST_F(CheckpointAuditTest, ARejectionThatNeverWas) {
  EditPast([](PastFile& past) { past.rejected.push_back({.event_id = "x", .offset = 3}); });
  ExpectFound(PastFileName(places_.back()), "rejections: not what");
}

TEST_F(CheckpointAuditTest, APieceThatIsMissing) {
  std::filesystem::remove(Path(PastFileName(places_.back())));
  ExpectFound(StateFileName(places_.back()), "is missing or damaged");
}

TEST_F(CheckpointAuditTest, AFileOfAnothersName) {
  std::filesystem::rename(Path(StateFileName(places_[0])), Path(StateFileName(places_[0] + 1)));
  ExpectFound(StateFileName(places_[0] + 1),
              absl::StrCat("it is the state at offset ", places_[0]));
}

TEST_F(CheckpointAuditTest, WithoutAnyAllIsWell) {
  std::filesystem::remove_all(folder_.checkpoints);
  AuditReport report;
  RunAudit(folder_, report);
  EXPECT_TRUE(report.verified()) << FindingsOf(report);
}

TEST_F(CheckpointAuditTest, StatesMayBeDeleted) {
  std::filesystem::remove(Path(StateFileName(places_[0])));
  WriteFile(Path("state-00000000000000000099.part"), "never finished");
  AuditReport report;
  RunAudit(folder_, report);
  EXPECT_TRUE(report.verified()) << FindingsOf(report);
  EXPECT_THAT(report.notes(), IsEmpty());
}

}  // namespace
}  // namespace qmarket

// The append service and its client, and appends without one.

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/embedded_log.h"
#include "events/event_log.h"
#include "matcher/process/append_protocol.h"
#include "matcher/process/append_service.h"
#include "matcher/process/appender.h"
#include "matcher/process/data_dir.h"
#include "matcher/process/disk_space.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using testing::HasSubstr;

TEST(AppendProtocolTest, RecordsComeBack) {
  const std::vector<std::string> records = {"a", "", std::string(100'000, '\0'), "\xff\xfe"};
  EXPECT_EQ(*UnpackRecords(PackRecords(records)), records);
  EXPECT_TRUE(UnpackRecords("")->empty());
}

TEST(AppendProtocolTest, ACutRequestIsRefused) {
  const std::string body = PackRecords({"first", "second"});
  for (std::size_t size = 1; size < body.size(); ++size) {
    if (size == 9) continue;  // the first record is whole
    const absl::Status status = UnpackRecords(body.substr(0, size)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << size;
  }
  EXPECT_FALSE(UnpackRecords("\xff\xff\xff\xff").ok());
}

TEST(AppendProtocolTest, StatusesComeBack) {
  for (const absl::Status& status :
       {absl::OkStatus(), absl::InvalidArgumentError("a"), absl::ResourceExhaustedError("b"),
        absl::UnavailableError("c")}) {
    EXPECT_EQ(StatusOfHttp(HttpStatusOf(status), status.message()), status);
  }
  EXPECT_EQ(StatusOfHttp(HttpStatusOf(absl::DataLossError("d")), "d").code(),
            absl::StatusCode::kInternal);
}

std::vector<std::string> AllRecords(EventLog& log) {
  std::vector<std::string> all;
  const absl::StatusOr<LogBatch> batch = log.Read(0, 1'000'000, SIZE_MAX);
  EXPECT_TRUE(batch.ok()) << batch.status();
  for (const LogRecord& record : batch->records)
    all.push_back(record.bytes);
  return all;
}

class AppendTest : public testing::Test {
 protected:
  void Serve() {
    absl::StatusOr<std::unique_ptr<EmbeddedLog>> log =
        EmbeddedLog::Open(LogDir(dir_), EmbeddedLog::Mode::kReadWrite);
    ASSERT_TRUE(log.ok()) << log.status();
    log_ = *std::move(log);
    absl::StatusOr<std::unique_ptr<AppendService>> service =
        AppendService::Start(*log_, SocketPath(dir_));
    ASSERT_TRUE(service.ok()) << service.status();
    service_ = *std::move(service);
  }

  std::unique_ptr<Appender> MustOpen() {
    absl::StatusOr<std::unique_ptr<Appender>> appender = OpenAppender(dir_);
    EXPECT_TRUE(appender.ok()) << appender.status();
    return *std::move(appender);
  }

  TempFolder folder_;
  std::string dir_ = folder_ / "data";
  std::unique_ptr<EmbeddedLog> log_;
  std::unique_ptr<AppendService> service_;
};

TEST_F(AppendTest, StraightIntoTheLogWhereNobodyServes) {
  {
    const std::unique_ptr<Appender> appender = MustOpen();
    EXPECT_EQ(appender->Append({"a", "b"})->first, 0U);
    EXPECT_EQ(appender->Append({"c"})->first, 2U);
    EXPECT_FALSE(IsMatcherServing(dir_));
  }
  Serve();
  EXPECT_EQ(AllRecords(*log_), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(AppendTest, ThroughTheServiceWhereOneRuns) {
  Serve();
  EXPECT_TRUE(IsMatcherServing(dir_));
  const std::unique_ptr<Appender> appender = MustOpen();
  EXPECT_EQ(appender->Append({"a", std::string("\0b", 2)})->first, 0U);
  EXPECT_EQ(appender->Append({"c"})->first, 2U);
  EXPECT_EQ(AllRecords(*log_), (std::vector<std::string>{"a", std::string("\0b", 2), "c"}));
}

TEST_F(AppendTest, OnlyTheOwnerMayUseTheSocket) {
  Serve();

  struct stat info {};

  ASSERT_EQ(::stat(SocketPath(dir_).c_str(), &info), 0);
  EXPECT_TRUE(S_ISSOCK(info.st_mode));
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(AppendTest, TheSocketGoesWithTheService) {
  Serve();
  ASSERT_TRUE(std::filesystem::exists(SocketPath(dir_)));
  service_.reset();
  EXPECT_FALSE(std::filesystem::exists(SocketPath(dir_)));
}

// As a matcher leaves it that was killed.
TEST_F(AppendTest, AStaleSocketIsReplaced) {
  std::filesystem::create_directories(dir_);
  const int stale = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ::sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::ranges::copy(SocketPath(dir_), address.sun_path);
  ASSERT_EQ(::bind(stale, reinterpret_cast<const ::sockaddr*>(&address), sizeof(address)), 0);
  ::close(stale);
  EXPECT_FALSE(IsMatcherServing(dir_));
  {
    const std::unique_ptr<Appender> appender = MustOpen();
    EXPECT_EQ(appender->Append({"a"})->first, 0U);
  }
  Serve();
  EXPECT_EQ(MustOpen()->Append({"b"})->first, 1U);
}

TEST_F(AppendTest, WorksInAFolderOfAnyName) {
  dir_ = folder_ / (std::string(120, 'x') + "/" + std::string(120, 'y') + " z");
  Serve();
  EXPECT_TRUE(IsMatcherServing(dir_));
  EXPECT_EQ(MustOpen()->Append({"a"})->first, 0U);
}

TEST_F(AppendTest, TooMuchAtOnceIsRefusedAndNothingAppended) {
  Serve();
  const std::unique_ptr<Appender> appender = MustOpen();
  const std::vector<std::string> large(2, std::string(kMaxAppendBytes / 2 + 1, 'x'));
  EXPECT_EQ(appender->Append(large).status().code(), absl::StatusCode::kInvalidArgument);
  const std::vector<std::string> many(kMaxAppendRecords + 1, "x");
  EXPECT_EQ(appender->Append(many).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(appender->Append({}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(AllRecords(*log_).empty());
  const std::vector<std::string> most(kMaxAppendRecords, std::string(100, 'x'));
  EXPECT_EQ(appender->Append(most)->first, 0U);
  EXPECT_EQ(*log_->EndOffset(), kMaxAppendRecords);
}

// What a client of another kind may send.
std::string Answer(const std::string& path, const std::string& request) {
  const int client = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ::sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::ranges::copy(path, address.sun_path);
  EXPECT_EQ(::connect(client, reinterpret_cast<const ::sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::send(client, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string answer;
  char buffer[1000];
  ssize_t got = 0;
  while ((got = ::recv(client, buffer, sizeof(buffer), 0)) > 0)
    answer.append(buffer, static_cast<std::size_t>(got));
  ::close(client);
  return answer;
}

TEST_F(AppendTest, TheServiceLimitsWhatItTakes) {
  Serve();
  EXPECT_THAT(Answer(SocketPath(dir_),
                     "POST /append HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\n"),
              HasSubstr("413"));
  EXPECT_THAT(
      Answer(SocketPath(dir_), "POST /append HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"),
      HasSubstr("400"));
  EXPECT_THAT(
      Answer(SocketPath(dir_), "POST /append HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"),
      testing::AllOf(HasSubstr("400"), HasSubstr("cut short")));
  EXPECT_THAT(Answer(SocketPath(dir_), "GET /other HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("404"));
  EXPECT_TRUE(AllRecords(*log_).empty());
}

TEST_F(AppendTest, ManyClientsAtOnce) {
  Serve();
  constexpr int kClients = 24;
  constexpr int kCalls = 10;
  std::vector<std::thread> clients;
  std::vector<std::vector<std::uint64_t>> firsts(kClients);
  clients.reserve(kClients);
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([this, c, &firsts] {
      const std::unique_ptr<Appender> appender = MustOpen();
      for (int i = 0; i < kCalls; ++i) {
        const std::string name = absl::StrCat(c, "-", i);
        const absl::StatusOr<AppendedRange> range =
            appender->Append({absl::StrCat(name, "a"), absl::StrCat(name, "b")});
        ASSERT_TRUE(range.ok()) << range.status();
        firsts[static_cast<std::size_t>(c)].push_back(range->first);
      }
    });
  }
  for (std::thread& client : clients)
    client.join();
  const std::vector<std::string> records = AllRecords(*log_);
  ASSERT_EQ(records.size(), static_cast<std::size_t>(kClients * kCalls * 2));
  for (int c = 0; c < kClients; ++c) {
    const std::vector<std::uint64_t>& mine = firsts[static_cast<std::size_t>(c)];
    EXPECT_TRUE(std::ranges::is_sorted(mine));
    for (int i = 0; i < kCalls; ++i) {
      const std::uint64_t first = mine[static_cast<std::size_t>(i)];
      EXPECT_EQ(records[first], absl::StrCat(c, "-", i, "a"));
      EXPECT_EQ(records[first + 1], absl::StrCat(c, "-", i, "b"));
    }
  }
}

TEST_F(AppendTest, StopsBeforeTheDiskIsFull) {
  const SmallDisk disk(96);
  if (!disk.inside()) return;
  dir_ = disk.path() + "/data";
  for (const bool served : {false, true}) {
    if (served) Serve();
    const std::unique_ptr<Appender> appender = MustOpen();
    ASSERT_TRUE(appender->Append({"a"}).ok());
    const std::uintmax_t available = std::filesystem::space(disk.path()).available;
    const std::string filler = disk.path() + "/filler";
    std::ofstream(filler) << std::string(available - kReservedDiskBytes + 100'000, 'x');
    const absl::Status status = appender->Append({"b"}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(status.message(), HasSubstr("full"));
    std::filesystem::remove(filler);
    EXPECT_TRUE(appender->Append({"c"}).ok());
  }
  EXPECT_EQ(AllRecords(*log_), (std::vector<std::string>{"a", "c", "a", "c"}));
}

TEST_F(AppendTest, WaitsForAnAppenderThatEnds) {
  std::unique_ptr<Appender> first = MustOpen();
  std::thread other([this] { EXPECT_EQ(MustOpen()->Append({"b"})->first, 1U); });
  absl::SleepFor(absl::Milliseconds(100));
  EXPECT_EQ(first->Append({"a"})->first, 0U);
  first.reset();
  other.join();
}

TEST_F(AppendTest, GivesUpWhereTheLogStaysTaken) {
  const std::unique_ptr<Appender> first = MustOpen();
  const absl::Status status = OpenAppender(dir_, absl::Milliseconds(100)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr(dir_));
}

TEST_F(AppendTest, SaysWhereTheServiceIsGone) {
  Serve();
  const absl::StatusOr<std::unique_ptr<Appender>> appender =
      OpenAppender(dir_, absl::Milliseconds(100));
  ASSERT_TRUE(appender.ok());
  service_.reset();
  const absl::Status status = (*appender)->Append({"a"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("gone"));
}

}  // namespace
}  // namespace qmarket

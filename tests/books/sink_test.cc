// Where exports go: files of 100,000 transactions and a main file, or standard output.
#include "connectors/books/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_join.h"
#include <gtest/gtest.h>

#include "connectors/cli/output.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Includes(absl::Span<const std::string> files) {
  return absl::StrJoin(files, "\n");
}

std::string NoMain(absl::Span<const std::string> /*files*/) {
  return "";
}

class SinkTest : public testing::Test {
 protected:
  [[nodiscard]] std::string Dir() const { return folder_.path() + "/books"; }

  [[nodiscard]] std::string File(const std::string& name) const {
    return ReadFile(Dir() + "/" + name);
  }

  TempFolder folder_;
  int null_ = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  Output out_{null_};
};

TEST_F(SinkTest, SplitsAtTheHundredThousandth) {
  absl::StatusOr<BookSink> sink = BookSink::Open(Dir(), {"books", "txt"}, out_);
  ASSERT_TRUE(sink.ok()) << sink.status();
  sink->Begin("main\n", "head\n");
  for (std::uint64_t i = 0; i < 2 * BookSink::kMostInFile + 1; ++i) {
    ASSERT_TRUE(sink->Add("x\n").ok());
  }
  ASSERT_TRUE(sink->AddTail("tail\n").ok());
  EXPECT_FALSE(std::filesystem::exists(Dir() + "/books.txt"));
  ASSERT_TRUE(sink->Finish(Includes).ok());
  EXPECT_EQ(File("books.txt"), "main\nbooks-0001.txt\nbooks-0002.txt\nbooks-0003.txt");
  EXPECT_EQ(File("books-0001.txt").size(), 5 + 2 * BookSink::kMostInFile);
  EXPECT_EQ(File("books-0002.txt"), File("books-0001.txt"));
  EXPECT_EQ(File("books-0003.txt"), "head\nx\ntail\n");
  EXPECT_EQ(sink->Summary("things"),
            "200,001 things in 3 files; begin with " + Dir() + "/books.txt\n");
}

TEST_F(SinkTest, ExactlyFullIsOneFile) {
  absl::StatusOr<BookSink> sink = BookSink::Open(Dir(), {"books", "txt"}, out_);
  ASSERT_TRUE(sink.ok()) << sink.status();
  sink->Begin("", "");
  for (std::uint64_t i = 0; i < BookSink::kMostInFile; ++i)
    ASSERT_TRUE(sink->Add("x\n").ok());
  ASSERT_TRUE(sink->Finish(NoMain).ok());
  EXPECT_EQ(File("books-0001.txt").size(), 2 * BookSink::kMostInFile);
  EXPECT_FALSE(std::filesystem::exists(Dir() + "/books-0002.txt"));
  EXPECT_FALSE(std::filesystem::exists(Dir() + "/books.txt"));
  EXPECT_EQ(sink->Summary("things"),
            "100,000 things in 1 file; begin with " + Dir() + "/books-0001.txt\n");
}

TEST_F(SinkTest, NothingIsOneFileWithAHead) {
  absl::StatusOr<BookSink> sink = BookSink::Open(Dir(), {"books", "txt"}, out_);
  ASSERT_TRUE(sink.ok()) << sink.status();
  sink->Begin("main\n", "head\n");
  ASSERT_TRUE(sink->Finish(Includes).ok());
  EXPECT_EQ(File("books-0001.txt"), "head\n");
  EXPECT_EQ(File("books.txt"), "main\nbooks-0001.txt");
}

TEST_F(SinkTest, StandardOutputIsOnePiece) {
  const std::string path = folder_.path() + "/stdout";
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  Output out(descriptor);
  absl::StatusOr<BookSink> sink = BookSink::Open("-", {"books", "txt"}, out);
  ASSERT_TRUE(sink.ok()) << sink.status();
  sink->Begin("main\n", "head\n");
  ASSERT_TRUE(sink->Add("x\n").ok());
  ASSERT_TRUE(sink->AddTail("tail\n").ok());
  ASSERT_TRUE(sink->Finish(Includes).ok());
  ASSERT_TRUE(out.Flush().ok());
  ::close(descriptor);
  EXPECT_EQ(ReadFile(path), "main\nx\ntail\n");
  EXPECT_EQ(sink->Summary("things"), "");
}

}  // namespace
}  // namespace qmarket

// JSON Lines: lines, their numbers, and what follows a bad one.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <istream>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/event_json.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

std::string Tick(const std::string& id) {
  return R"({"event_id": ")" + id +
         R"(", "time_ms": 5, "payload_type": "ClockTicked", "payload": {}})";
}

// The ids of the events that are left, with their lines, "!" for a bad line, then "end".
std::string Read(EventLineReader& reader) {
  std::string read;
  while (true) {
    const absl::StatusOr<std::optional<Event>> event = reader.Next();
    if (!event.ok()) {
      read += "! ";
    } else if (event->has_value()) {
      read += (*event)->event_id + "@" + std::to_string(reader.line()) + " ";
    } else {
      return read + "end";
    }
  }
}

std::string ReadText(const std::string& text) {
  std::istringstream stream(text);
  EventLineReader reader(stream, "x");
  return Read(reader);
}

TEST(EventLineReader, ReadsLines) {
  EXPECT_EQ(ReadText(""), "end");
  EXPECT_EQ(ReadText("\n"), "end");
  EXPECT_EQ(ReadText(Tick("a")), "a@1 end");
  EXPECT_EQ(ReadText(Tick("a") + "\n"), "a@1 end");
  EXPECT_EQ(ReadText(Tick("a") + "\n" + Tick("b")), "a@1 b@2 end");
  EXPECT_EQ(ReadText(Tick("a") + "\r\n" + Tick("b") + "\r\n"), "a@1 b@2 end");
}

TEST(EventLineReader, BlankLinesCount) {
  EXPECT_EQ(ReadText("\n \t\r\n" + Tick("a") + "\n\n" + Tick("b") + "\n\n"), "a@3 b@5 end");
}

TEST(EventLineReader, GoesOnAfterABadLine) {
  EXPECT_EQ(ReadText("x\n" + Tick("a") + "\n" + Tick("b") + Tick("c") + "\n" + Tick("d")),
            "! a@2 ! d@4 end");
}

TEST(EventLineReader, AZeroByteHidesNothing) {
  const std::string event =
      R"({"event_id": "a", "time_ms": 1, "payload_type": "ClockTicked", "payload": {}})";
  std::istringstream stream(event + std::string(1, '\0') + event + "\n");
  EventLineReader reader(stream, "file");
  const auto read = reader.Next();
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(std::string(read.status().message()), testing::HasSubstr("a zero byte"));
}

TEST(EventLineReader, ALineMayBeLongButNotTooLong) {
  std::string longest = Tick("a");
  longest += std::string(kMaxJsonLineBytes - longest.size(), ' ');
  EXPECT_EQ(ReadText(longest + "\n" + Tick("b")), "a@1 b@2 end");
  EXPECT_EQ(ReadText(longest), "a@1 end");
  EXPECT_EQ(ReadText(longest + " \n" + Tick("b")), "! b@2 end");
  EXPECT_EQ(ReadText(longest + " "), "! end");
  EXPECT_EQ(ReadText(longest + "  \n" + Tick("b")), "! b@2 end");
  EXPECT_EQ(ReadText(longest + longest + longest + "\n" + Tick("b")), "! b@2 end");
  EXPECT_EQ(ReadText(longest + longest + longest), "! end");
}

TEST(EventLineReader, LinesOfEveryLengthAroundTheBuffers) {
  for (const std::size_t size : std::vector<std::size_t>{4'096, 8'192, 65'536}) {
    for (std::size_t length = size - 3; length <= size + 3; ++length) {
      const std::string line = Tick("a") + std::string(length - Tick("a").size(), ' ');
      EXPECT_EQ(ReadText(line + "\n" + Tick("b") + "\n"), "a@1 b@2 end") << length;
      EXPECT_EQ(ReadText(line), "a@1 end") << length;
      EXPECT_EQ(ReadText(line + "\n"), "a@1 end") << length;
    }
  }
}

TEST(EventLineReader, NamesTheLine) {
  std::istringstream stream(Tick("a") + "\n\n" + R"({"payload_type": "ClockTicked", "payload": )" +
                            R"({"chips": 1}})" + "\n" + std::string(kMaxJsonLineBytes + 1, 'x') +
                            "\n{");
  EventLineReader reader(stream, "events.jsonl");
  EXPECT_EQ(reader.line(), 0U);
  ASSERT_TRUE(reader.Next().ok());
  const absl::Status unknown = reader.Next().status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(unknown.message(),
            R"(events.jsonl:3: ClockTicked."chips" is unknown, expected no fields)");
  EXPECT_EQ(reader.line(), 3U);
  EXPECT_EQ(reader.Next().status().message(),
            "events.jsonl:4: the line is too long, expected at most 1048576 bytes");
  EXPECT_THAT(std::string(reader.Next().status().message()),
              HasSubstr("events.jsonl:5: byte 2: no JSON: "));
}

// A file that cannot be read further after its text.
class BrokenFile : public std::streambuf {
 public:
  explicit BrokenFile(std::string text) : text_(std::move(text)) {
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

 protected:
  int_type underflow() override { throw std::ios_base::failure("broken"); }

 private:
  std::string text_;
};

TEST(EventLineReader, AFileThatBreaksIsNoEnd) {
  BrokenFile file(Tick("a") + "\n" + Tick("b").substr(0, 20));
  std::istream stream(&file);
  EventLineReader reader(stream, "events.jsonl");
  ASSERT_TRUE(reader.Next().ok());
  const absl::Status status = reader.Next().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(status.message(), "events.jsonl:2: cannot be read");
}

TEST(EventLineReader, AFileThatIsNotThereIsNoEnd) {
  std::ifstream missing("no/such/file.jsonl");
  EventLineReader reader(missing, "no/such/file.jsonl");
  EXPECT_EQ(reader.Next().status().message(), "no/such/file.jsonl:1: cannot be read");
  std::ifstream folder(".");
  EventLineReader folder_reader(folder, ".");
  EXPECT_EQ(folder_reader.Next().status().code(), absl::StatusCode::kDataLoss);
}

TEST(EventLineReader, ReadsTheWorkedCases) {
  const char* spec = std::getenv("QMARKET_SPEC_DIR");
  const std::filesystem::path folder =
      std::filesystem::path(spec == nullptr ? "" : spec) / "examples" / "replay";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "there is no folder " << folder;
  int events = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream stream(entry.path());
    EventLineReader reader(stream, entry.path().string());
    while (true) {
      const absl::StatusOr<std::optional<Event>> event = reader.Next();
      ASSERT_TRUE(event.ok()) << event.status();
      if (!event->has_value()) break;
      ++events;
    }
  }
  EXPECT_GT(events, 100);
}

}  // namespace
}  // namespace qmarket

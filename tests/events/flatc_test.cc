// The JSON form and the records are those of the schema: the real flatc reads what we write, and we
// read what it writes. And the schemas still read what earlier ones wrote.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"

#include "events/event_codec.h"
#include "events/event_json.h"
#include "events/outcome_wire.h"
#include "nlohmann/json.hpp"
#include "rapidcheck.h"
#include "tests/events/samples.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kRandomEvents = 200;

std::string SourcePath(const std::string& name) {
  const char* root = std::getenv("QMARKET_SOURCE_DIR");
  return absl::StrCat(root == nullptr ? "." : root, "/", name);
}

int Flatc(const std::string& arguments) {
  return std::system(absl::StrCat(QMARKET_FLATC, " ", arguments, " >/dev/null 2>&1").c_str());
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

// Turns files 0.FROM, 1.FROM, ... of the folder into 0.TO, 1.TO, ...
void Convert(const TempFolder& folder, const std::string& schema, std::size_t files, bool to_json) {
  std::string names;
  for (std::size_t i = 0; i < files; ++i) {
    absl::StrAppend(&names, " ", folder / absl::StrCat(i, to_json ? ".bin" : ".json"));
  }
  const std::string options =
      absl::StrCat(to_json ? "--json --strict-json" : "--binary", " -o ", folder.path(), " ",
                   SourcePath(schema), to_json ? " --" : "", names);
  ASSERT_EQ(Flatc(options), 0) << "flatc " << options;
}

// Samples, and random ones. The seed is fixed, so that a failure comes again.
std::vector<Event> Events() {
  std::vector<Event> events = SampleEvents();
  for (int i = 0; i < kRandomEvents; ++i) {
    events.push_back(ValidEvents()(rc::Random(static_cast<std::uint64_t>(i)), 50).value());
  }
  return events;
}

TEST(Flatc, ReadsOurEvents) {
  const TempFolder folder;
  const std::vector<Event> events = Events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    WriteFile(folder / absl::StrCat(i, ".bin"), EncodeEvent(events[i]));
  }
  Convert(folder, "events/events.fbs", events.size(), true);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string theirs = ReadFile(folder / absl::StrCat(i, ".json"));
    EXPECT_EQ(Json::parse(theirs), Json::parse(EventToJson(events[i])));
    const absl::StatusOr<Event> read = ParseEvent(theirs);
    ASSERT_TRUE(read.ok()) << read.status() << "\n" << theirs;
    EXPECT_EQ(*read, events[i]);
  }
}

TEST(Flatc, WritesEventsThatWeRead) {
  const TempFolder folder;
  const std::vector<Event> events = Events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    WriteFile(folder / absl::StrCat(i, ".json"), EventToJson(events[i]));
  }
  Convert(folder, "events/events.fbs", events.size(), false);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const absl::StatusOr<Event> read = DecodeEvent(ReadFile(folder / absl::StrCat(i, ".bin")));
    ASSERT_TRUE(read.ok()) << read.status() << "\n" << EventToJson(events[i]);
    EXPECT_EQ(*read, events[i]);
  }
}

TEST(Flatc, ReadsOurOutcomes) {
  const TempFolder folder;
  const std::vector<Outcome> outcomes = SampleOutcomes();
  for (std::uint32_t i = 0; i < outcomes.size(); ++i) {
    WriteFile(folder / absl::StrCat(i, ".bin"), EncodeOutcomeRecord(7, i, outcomes[i]));
  }
  Convert(folder, "events/outcomes.fbs", outcomes.size(), true);
  for (std::uint32_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(Json::parse(ReadFile(folder / absl::StrCat(i, ".json"))),
              Json::parse(OutcomeToJson(7, i, outcomes[i])));
  }
}

TEST(Flatc, WritesOutcomesThatWeRead) {
  const TempFolder folder;
  const std::vector<Outcome> outcomes = SampleOutcomes();
  for (std::uint32_t i = 0; i < outcomes.size(); ++i) {
    WriteFile(folder / absl::StrCat(i, ".json"), OutcomeToJson(7, i, outcomes[i]));
  }
  Convert(folder, "events/outcomes.fbs", outcomes.size(), false);
  for (std::uint32_t i = 0; i < outcomes.size(); ++i) {
    const absl::StatusOr<OutcomeRecord> read =
        DecodeOutcomeRecord(ReadFile(folder / absl::StrCat(i, ".bin")));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, (OutcomeRecord{7, i, outcomes[i]}));
  }
}

// `schema` can take the place of the one that was released.
bool Conforms(const std::string& released, const std::string& schema) {
  return Flatc(absl::StrCat("--conform ", SourcePath(released), " ", schema)) == 0;
}

TEST(Flatc, SchemasReadWhatWasReleased) {
  EXPECT_TRUE(Conforms("tests/events/released/events_1.fbs", SourcePath("events/events.fbs")));
  EXPECT_TRUE(Conforms("tests/events/released/outcomes_1.fbs", SourcePath("events/outcomes.fbs")));
}

TEST(Flatc, ABreakingEditIsNoticed) {
  const TempFolder folder;
  const std::string schema = ReadFile(SourcePath("events/events.fbs"));
  const std::vector<std::pair<std::string, std::string>> edits = {
      {"priority: int = 0", "priority: long = 0"},
      {"cycle_ms: long = 60000", "cycle_ms: long = 30000"},
      {"PoolConfigured,\n  TeamConfigured,", "TeamConfigured,\n  PoolConfigured,"},
  };
  for (const auto& [from, to] : edits) {
    ASSERT_NE(schema.find(from), std::string::npos) << from;
    WriteFile(folder / "events.fbs", absl::StrReplaceAll(schema, {{from, to}}));
    EXPECT_FALSE(Conforms("tests/events/released/events_1.fbs", folder / "events.fbs")) << to;
  }
}

}  // namespace
}  // namespace qmarket

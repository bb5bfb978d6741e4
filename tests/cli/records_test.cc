#include "connectors/cli/records.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace qmarket {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

const std::vector<RecordField>& Things() {
  static const auto* const kFields =
      new std::vector<RecordField>{{"name", "name"},
                                   {"offset", "offset", Kind::kOffset},
                                   {"chips", "chips", Kind::kCount},
                                   {"price_micros", "price cr/h", Kind::kMicros},
                                   {"time_ms", "time", Kind::kTimeMs}};
  return *kFields;
}

// What a printer of such fields writes to a file.
std::string Printed(Format format, const std::function<void(RecordPrinter&)>& fill,
                    const std::vector<RecordField>& fields = Things()) {
  std::FILE* file = std::tmpfile();
  {
    Output out(::fileno(file));
    RecordPrinter printer(out, format, "things", fields);
    fill(printer);
    printer.Finish("Nothing there.");
    EXPECT_TRUE(out.Flush().ok());
  }
  std::string text(1'000'000, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

void Fill(RecordPrinter& printer) {
  printer.Moment(7, 1'767'225'600'000);
  printer.Add(
      {"a, b", Int128{12'345}, Int128{12'345}, Int128{2'500'000}, Int128{1'767'225'600'000}});
  printer.Add({"c", Cell(), Cell(), OptionalCell(std::optional<std::int64_t>()), Cell()});
}

TEST(RecordPrinter, HasHoursAndSharesForPeople) {
  const std::vector<RecordField> fields = {{"lasts_ms", "lasts h", Kind::kHours},
                                           {"share_ppm", "share %", Kind::kPpm},
                                           {"rate", "rate", Kind::kDecimal},
                                           {"more", "more", Kind::kCount, true}};
  const auto fill = [](RecordPrinter& printer) {
    printer.Add({Int128{5'400'000}, Int128{333'333}, "1.5", Int128{1}});
    printer.Add({Int128{3'600'000'000} * 2, Int128{1'000'000}, "12", Int128{2}});
    printer.Add({Int128{359'999}, Int128{999}, "0", Int128{3}});
  };
  EXPECT_EQ(Printed(Format::kTable, fill, fields),
            "lasts h  share %  rate\n"
            "    1.5     33.3   1.5\n"
            "2,000.0    100.0  12.0\n"
            "    0.0      0.0   0.0\n");
  EXPECT_EQ(Printed(Format::kCsv, fill, fields),
            "lasts_ms,share_ppm,rate,more\n5400000,333333,1.5,1\n7200000000,1000000,12,2\n"
            "359999,999,0,3\n");
}

TEST(RecordPrinter, PrintsJson) {
  EXPECT_EQ(Json::parse(Printed(Format::kJson, Fill)), Json::parse(R"({
      "offset": 7, "time_ms": 1767225600000, "things": [
        {"name": "a, b", "offset": 12345, "chips": 12345, "price_micros": 2500000,
         "time_ms": 1767225600000},
        {"name": "c", "offset": null, "chips": null, "price_micros": null, "time_ms": null}]})"));
}

TEST(RecordPrinter, PrintsCsv) {
  EXPECT_EQ(Printed(Format::kCsv, Fill),
            "name,offset,chips,price_micros,time_ms\n"
            "\"a, b\",12345,12345,2500000,1767225600000\n"
            "c,,,,\n");
}

TEST(RecordPrinter, PrintsATableForPeople) {
  EXPECT_EQ(Printed(Format::kTable, Fill),
            "After offset 7, 2026-01-01T00:00:00Z\n"
            "\n"
            "name  offset   chips  price cr/h  time\n"
            "a, b   12345  12,345         2.5  2026-01-01T00:00:00Z\n"
            "c          -       -           -  -\n");
}

TEST(RecordPrinter, PrintsFlagsInTheWordsOfTheFormat) {
  const auto flags = [](RecordPrinter& printer) {
    printer.Add({true, Cell(), Cell(), Cell(), Cell()});
    printer.Add({false, "text", Cell(), Cell(), Cell()});
  };
  const Json things = Json::parse(Printed(Format::kJson, flags))["things"];
  EXPECT_EQ(things[0]["name"], true);
  EXPECT_EQ(things[1]["name"], false);
  EXPECT_EQ(things[1]["offset"], "text");
  EXPECT_THAT(Printed(Format::kCsv, flags), HasSubstr("\ntrue,,,,\nfalse,text,,,\n"));
  EXPECT_THAT(Printed(Format::kTable, flags), HasSubstr("\nyes "));
}

TEST(RecordPrinter, SaysWhereThereIsNothing) {
  const auto nothing = [](RecordPrinter& printer) { printer.Moment(std::nullopt, std::nullopt); };
  EXPECT_EQ(Printed(Format::kTable, nothing), "Nothing there.\n");
  EXPECT_EQ(Printed(Format::kCsv, nothing), "name,offset,chips,price_micros,time_ms\n");
  EXPECT_EQ(Json::parse(Printed(Format::kJson, nothing)),
            Json::parse(R"({"offset": null, "time_ms": null, "things": []})"));
}

TEST(RecordPrinter, ALongTableKeepsItsEnd) {
  const auto many = [](RecordPrinter& printer) {
    for (int i = 0; i < 1'500; ++i) {
      printer.Add({absl::StrCat("n", i), Cell(), Cell(), Cell(), Cell()});
    }
  };
  const std::string table = Printed(Format::kTable, many);
  EXPECT_THAT(table, StartsWith("name"));
  EXPECT_THAT(table, HasSubstr("\nn500 "));
  EXPECT_THAT(table, ::testing::Not(HasSubstr("\nn499 ")));
  EXPECT_THAT(table, EndsWith("The last 1,000 of 1,500; --format json or csv has them all.\n"));
  EXPECT_EQ(Json::parse(Printed(Format::kJson, many))["things"].size(), 1'500U);
}

TEST(RecordPrinter, StopsWhereNobodyReads) {
  Output out(-1);
  RecordPrinter printer(out, Format::kCsv, "things", {{"name", "name"}});
  bool more = true;
  for (int i = 0; i < 1'000'000 && more; ++i)
    more = printer.Add({std::string(100, 'x')});
  EXPECT_FALSE(more);
  EXPECT_THAT(std::string(out.Flush().message()), HasSubstr("standard output: cannot write"));
}

}  // namespace
}  // namespace qmarket

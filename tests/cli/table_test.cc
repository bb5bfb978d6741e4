#include "connectors/cli/table.h"

#include <unistd.h>

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qmarket {
namespace {

using ::testing::ElementsAre;

Table Example() {
  Table table({{"team"}, {"balance", Align::kRight}});
  table.AddRow({"vision", "12.5"});
  table.AddRow({"ranking-of-results", "1,000"});
  return table;
}

// What `print` writes to an output that is no terminal.
template <typename Print>
std::string Printed(Print print) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  Output out(ends[1]);
  print(out);
  EXPECT_TRUE(out.Flush().ok());
  ::close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t size = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

TEST(Table, AlignsNumbersRight) {
  EXPECT_THAT(Example().Lines(0),
              ElementsAre("team                balance",  //
                          "vision                 12.5", "ranking-of-results    1,000"));
}

TEST(Table, ShortensTextToTheTerminalButNeverNumbers) {
  EXPECT_THAT(Example().Lines(20), ElementsAre("team         balance",  //
                                               "vision          12.5", "ranking-of…    1,000"));
  EXPECT_THAT(Example().Lines(5), ElementsAre("team      balance",  //
                                              "vision       12.5", "ranking…    1,000"));
}

TEST(Table, PutsDecimalPointsUnderEachOther) {
  Table table({{"price cr/h", Align::kDecimal}});
  for (const char* price : {"2", "-1,234.5", "0.000001", "-", ""})
    table.AddRow({price});
  EXPECT_THAT(table.Lines(0),
              ElementsAre("   price cr/h",  //
                          "     2.000000", "-1,234.500000", "     0.000001", "            -", ""));
}

TEST(Table, CountsCharactersAndNotBytes) {
  Table table({{"a"}, {"b", Align::kRight}});
  table.AddRow({"é", "1"});
  EXPECT_THAT(table.Lines(0), ElementsAre("a  b", "é  1"));
  EXPECT_EQ(TextWidth("aé…"), 3U);
}

TEST(Table, PrintsNoControlCharacters) {
  Table table({{"a"}});
  table.AddRow({"x\x1b[2Jy\nz"});
  EXPECT_THAT(table.Lines(0), ElementsAre("a", "x?[2Jy?z"));
}

TEST(Table, HasNoColourWhereItIsNoTerminal) {
  EXPECT_EQ(Printed([](Output& out) { Example().Print(out); }),
            "team                balance\n"
            "vision                 12.5\n"
            "ranking-of-results    1,000\n");
}

TEST(Table, QuotesCsvWhereNeeded) {
  Table table({{"bid"}, {"reason"}});
  table.AddRow({"b-1", "said \"no\", twice"});
  table.AddRow({"b-2", "two\nlines"});
  EXPECT_EQ(Printed([&](Output& out) { table.PrintCsv(out); }),
            "bid,reason\n"
            "b-1,\"said \"\"no\"\", twice\"\n"
            "b-2,\"two\nlines\"\n");
}

TEST(Table, KeepsTheFirstRows) {
  Table table = Example();
  table.KeepFirst(1);
  EXPECT_EQ(table.size(), 1U);
  table.KeepFirst(5);
  EXPECT_EQ(table.size(), 1U);
}

TEST(TableDeathTest, RefusesARowOfAnotherLength) {
  Table table({{"a"}, {"b"}});
  EXPECT_DEATH(table.AddRow({"1"}), "too few or too many cells");
}

}  // namespace
}  // namespace qmarket

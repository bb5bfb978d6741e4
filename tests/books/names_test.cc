// Names of the market in the words of each format: of their form, and never two the same.
#include "connectors/books/names.h"

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/books/chart.h"

namespace qmarket {
namespace {

constexpr char kNameBytes[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@:/-";

// All names of one and two bytes, those of three that begin oddly, and many at random that are
// made of what the mappings treat specially.
std::vector<std::string> Names() {
  const std::string bytes = kNameBytes;
  std::vector<std::string> names;
  for (const char a : bytes) {
    names.emplace_back(1, a);
    for (const char b : bytes)
      names.push_back({a, b});
  }
  for (const char a : std::string("zZxX-."))
    for (const char b : bytes)
      for (const char c : bytes)
        names.push_back({a, b, c});
  constexpr std::uint32_t kSeed = 7;
  std::mt19937 random(kSeed);
  const std::string odd = "-XZxz2E.:aA9";
  for (int i = 0; i < 20'000; ++i) {
    std::string name;
    const std::size_t length = 4 + random() % 8;
    while (name.size() < length)
      name.push_back(odd[random() % odd.size()]);
    names.push_back(name);
  }
  names.emplace_back(128, 'p');
  names.push_back(std::string(127, 'p') + "q");
  return names;
}

// The names that a mapping gives, each by what it was made from.
template <typename Mapping>
void ExpectInjective(const Mapping& mapping) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : Names()) {
    const auto [place, is_new] = seen.emplace(mapping(name), name);
    EXPECT_TRUE(is_new || place->second == name)
        << name << " and " << place->second << " are both " << place->first;
  }
  EXPECT_GT(seen.size(), 20'000U);
}

TEST(NamesTest, BeancountPartsAreOfTheirFormAndInjective) {
  const std::regex form("[A-Z0-9][A-Za-z0-9-]*");
  ExpectInjective([&](const std::string& name) {
    std::string part = BeancountPart(name);
    EXPECT_TRUE(std::regex_match(part, form)) << name << " is " << part;
    return part;
  });
}

TEST(NamesTest, PercentNamesAreInjectiveAndHaveNoColon) {
  ExpectInjective([](const std::string& name) {
    std::string encoded = PercentName(name);
    EXPECT_EQ(encoded.find(':'), std::string::npos);
    return encoded;
  });
}

TEST(NamesTest, BeancountCommoditiesAreOfTheirFormAndInjective) {
  const std::regex form("[A-Z][A-Z0-9'._-]{0,22}[A-Z0-9]");
  std::uint32_t number = 0;
  std::map<std::string, std::uint32_t> numbers;
  ExpectInjective([&](const std::string& name) {
    // The ledger gives each pool its number, at the longest one of ten digits.
    const auto place = numbers.emplace(name, UINT32_MAX - number++).first;
    std::string commodity = BeancountCommodity({.pool = name, .number = place->second});
    EXPECT_TRUE(std::regex_match(commodity, form)) << name << " is " << commodity;
    EXPECT_NE(commodity, BeancountCommodity({.pool = "", .number = 0})) << name;
    return commodity;
  });
}

TEST(NamesTest, Examples) {
  EXPECT_EQ(BeancountPart("vision"), "Vision");
  EXPECT_EQ(BeancountPart("ml-infra"), "Ml-infra");
  EXPECT_EQ(BeancountPart("Vision"), "Z-ZVision");
  EXPECT_EQ(BeancountPart("a.b"), "A-X2Eb");
  EXPECT_EQ(BeancountPart("a-X"), "A-X2DX");
  EXPECT_EQ(BeancountCommodity({.pool = "search", .number = 4}), "SEARCH");
  EXPECT_EQ(BeancountCommodity({.pool = "Search", .number = 4}), "SEARCH.P4");
  EXPECT_EQ(BeancountCommodity({.pool = "true", .number = 4}), "TRUE.P4");
  EXPECT_EQ(BeancountCommodity({.pool = "", .number = 0}), "REF.CREDITS");
  EXPECT_EQ(PercentName("org:vision"), "org%3Avision");
  EXPECT_EQ(PercentName(std::string(85, ':')).size(), 255U);
  EXPECT_EQ(PercentName(std::string(86, ':')), std::string(86, '~'));
  EXPECT_EQ(PercentName(std::string(126, ':') + "-a"), std::string(126, '~') + "-a");
  EXPECT_EQ(PercentValue("a, [b] c:d%"), "a%2C%20%5Bb%5D%20c:d%25");
  EXPECT_EQ(JournalCommodity({.pool = "a.b", .number = 1}), "\"a.b\"");
  EXPECT_EQ(BeancountText("a \"b\" \\ \n"), "\"a \\\"b\\\" \\\\ %0A\"");
}

TEST(NamesTest, SixDecimals) {
  EXPECT_EQ(SixDecimals(0), "0.000000");
  EXPECT_EQ(SixDecimals(1), "0.000001");
  EXPECT_EQ(SixDecimals(-1), "-0.000001");
  EXPECT_EQ(SixDecimals(-1'500'000), "-1.500000");
  EXPECT_EQ(SixDecimals(kMaxInt128), "170141183460469231731687303715884.105727");
  EXPECT_EQ(SixDecimals(-kMaxInt128 - 1), "-170141183460469231731687303715884.105728");
}

TEST(ChartTest, AccountsAreTakenApartByTheirCurrency) {
  const std::array<std::string, 3> currencies = {"", "a", "a:b"};
  const std::vector<StoredAccount> accounts = {
      {.id = AccountId(0), .name = "issue", .currency = CurrencyId(0)},
      {.id = AccountId(1), .name = "spent:a:b:c", .currency = CurrencyId(1)},
      {.id = AccountId(2), .name = "spent:a:b:c", .currency = CurrencyId(2)}};
  const absl::StatusOr<BookChart> chart = MakeBookChart(currencies, accounts);
  ASSERT_TRUE(chart.ok()) << chart.status();
  EXPECT_EQ(chart->Account(AccountId(1)).resource, "b:c");
  EXPECT_EQ(chart->Account(AccountId(2)).resource, "c");
  EXPECT_EQ(JournalAccount(chart->Account(AccountId(1))), "spent:a:b%3Ac");
  EXPECT_EQ(JournalAccount(chart->Account(AccountId(2))), "spent:a%3Ab:c");
}

TEST(ChartTest, AnUnknownKindOfAccountIsAnError) {
  const std::array<std::string, 2> currencies = {"", "a"};
  for (const char* const name : {"issue", "purse:a", "mint:b", "spent:b:c", "loan:x"}) {
    const std::vector<StoredAccount> accounts = {
        {.id = AccountId(0), .name = name, .currency = CurrencyId(1)}};
    EXPECT_EQ(MakeBookChart(currencies, accounts).status().code(), absl::StatusCode::kInternal)
        << name;
  }
}

}  // namespace
}  // namespace qmarket

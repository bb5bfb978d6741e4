#include "connectors/books/names.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace qmarket {
namespace {

constexpr std::uint64_t kMicrosInCredit = 1'000'000;
constexpr char kHexDigits[] = "0123456789ABCDEF";
constexpr char kReferenceCommodity[] = "REF.CREDITS";
constexpr std::size_t kMostCommodityBytes = 24;
constexpr std::size_t kMostCommodityStem = 10;
constexpr std::size_t kMostPartBytes = 255;  // of an account of ledger, between two colons

std::string Hex(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return {kHexDigits[byte >> 4U], kHexDigits[byte & 0xFU]};
}

std::string PercentEncoded(absl::string_view text, absl::string_view plain) {
  std::string encoded;
  for (const char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
        plain.find(c) != absl::string_view::npos) {
      encoded.push_back(c);
    } else {
      absl::StrAppend(&encoded, "%", Hex(c));
    }
  }
  return encoded;
}

bool IsSmall(char c) {
  return absl::ascii_islower(static_cast<unsigned char>(c));
}

bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}

// Whether in capitals it is a commodity, and no two such names become the same one. Beancount has
// its own idea of three words.
bool IsPlainCommodity(absl::string_view name) {
  if (name == "true" || name == "false" || name == "null") return false;
  return name.size() >= 2 && name.size() <= kMostCommodityBytes && IsSmall(name.front()) &&
         name.back() != '-' &&
         std::ranges::all_of(name, [](char c) { return IsSmall(c) || IsDigit(c) || c == '-'; });
}

}  // namespace

std::string SixDecimals(Int128 micros) {
  const Uint128 size =
      micros < 0 ? Uint128{0} - static_cast<Uint128>(micros) : static_cast<Uint128>(micros);
  const std::string fraction = ToString(size % kMicrosInCredit);
  return absl::StrCat(micros < 0 ? "-" : "", ToString(size / kMicrosInCredit), ".",
                      std::string(6 - fraction.size(), '0'), fraction);
}

std::string PercentName(absl::string_view name) {
  std::string encoded = PercentEncoded(name, "._@/+=-");
  // No name has a tilde, so no two of them become the same.
  if (encoded.size() > kMostPartBytes) return absl::StrReplaceAll(encoded, {{"%3A", "~"}});
  return encoded;
}

std::string PercentValue(absl::string_view value) {
  return PercentEncoded(value, "._@/+=-:");
}

std::string JournalAccount(const BookAccount& account) {
  switch (account.kind) {
    case BookAccountKind::kTeam:
      return absl::StrCat("team:", PercentName(account.team));
    case BookAccountKind::kMint:
      return absl::StrCat("mint:", PercentName(account.pool));
    case BookAccountKind::kSpent:
      return absl::StrCat("spent:", PercentName(account.pool), ":", PercentName(account.resource));
    case BookAccountKind::kIssue:
      return "issue";
    case BookAccountKind::kPurse:
      return absl::StrCat("purse:", PercentName(account.pool));
    case BookAccountKind::kSold:
      return absl::StrCat("sold:", PercentName(account.resource));
  }
  return "";
}

std::string JournalCommodity(const BookCurrency& currency) {
  // No name of a pool has a space.
  return currency.pool.empty() ? "\"reference credits\"" : absl::StrCat("\"", currency.pool, "\"");
}

std::string BeancountAccount(const BookAccount& account) {
  switch (account.kind) {
    case BookAccountKind::kTeam:
      return absl::StrCat("Assets:Team:", BeancountPart(account.team));
    case BookAccountKind::kMint:
      return absl::StrCat("Income:Mint:", BeancountPart(account.pool));
    case BookAccountKind::kSpent:
      return absl::StrCat("Expenses:Spent:", BeancountPart(account.pool), ":",
                          BeancountPart(account.resource));
    case BookAccountKind::kIssue:
      return "Income:Issue";
    case BookAccountKind::kPurse:
      return absl::StrCat("Assets:Purse:", BeancountPart(account.pool));
    case BookAccountKind::kSold:
      return absl::StrCat("Expenses:Sold:", BeancountPart(account.resource));
  }
  return "";
}

std::string BeancountPart(absl::string_view name) {
  const bool plain_start = !name.empty() && (IsSmall(name.front()) || IsDigit(name.front()));
  std::string part = plain_start ? "" : "Z-Z";
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    // A hyphen that could be taken for the beginning of "-X" or "-Z" is escaped itself.
    const bool hyphen =
        c == '-' && (i + 1 == name.size() || (name[i + 1] != 'X' && name[i + 1] != 'Z'));
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || hyphen) {
      part.push_back(i == 0 && plain_start ? absl::ascii_toupper(static_cast<unsigned char>(c))
                                           : c);
    } else {
      absl::StrAppend(&part, "-X", Hex(c));
    }
  }
  return part;
}

std::string BeancountCommodity(const BookCurrency& currency) {
  if (currency.pool.empty()) return kReferenceCommodity;
  if (IsPlainCommodity(currency.pool)) return absl::AsciiStrToUpper(currency.pool);
  std::string stem;
  for (const char c : currency.pool.substr(0, kMostCommodityStem)) {
    stem.push_back(absl::ascii_isalnum(static_cast<unsigned char>(c))
                       ? absl::ascii_toupper(static_cast<unsigned char>(c))
                       : '-');
  }
  if (!absl::ascii_isupper(static_cast<unsigned char>(stem.front()))) stem.insert(0, "P");
  // A plain name has no point, and the number is the currency's alone.
  return absl::StrCat(stem, ".P", currency.number);
}

std::string BeancountText(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      absl::StrAppend(&quoted, "%", Hex(c));
      continue;
    }
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
}

}  // namespace qmarket

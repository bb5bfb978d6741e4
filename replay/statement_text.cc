#include "replay/statement_text.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include "events/check.h"
#include "replay/statement.h"

namespace qmarket {
namespace {

constexpr char kType[] = "qmarket-statement";
constexpr char kStart[] = "{\"body\":{\"accounts\":";

// What follows the last key of the body.
std::string BodyEnd() {
  return absl::StrCat(",\"type\":\"", kType, "\",\"version\":", kStatementVersion, "}");
}

void AppendText(std::string& json, absl::string_view text) {
  QM_CHECK(IsPlainText(text), "a statement with a name that it has no form for");
  absl::StrAppend(&json, "\"", text, "\"");
}

// Reads what was written, from the front on. After the first error, readers return nothing much.
class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  [[nodiscard]] const absl::Status& status() const { return status_; }

  [[nodiscard]] bool ok() const { return status_.ok(); }

  // Steps over `words`.
  void Expect(absl::string_view words) {
    if (!Take(words)) Refuse(absl::StrCat("expected ", words));
  }

  // Steps over `words` if they are there.
  [[nodiscard]] bool Take(absl::string_view words) {
    if (!ok() || !absl::StartsWith(text_.substr(at_), words)) return false;
    at_ += words.size();
    return true;
  }

  std::string Text() {
    Expect("\"");
    const std::size_t end = ok() ? text_.find('"', at_) : absl::string_view::npos;
    if (end == absl::string_view::npos) {
      Refuse("expected a name and the end of its quotes");
      return "";
    }
    std::string text(text_.substr(at_, end - at_));
    if (!IsPlainText(text)) Refuse("expected a name of printable ASCII");
    at_ = end + 1;
    return text;
  }

  // A whole number in the one way of writing it.
  Int128 Number(Int128 low, Int128 high) {
    const std::size_t start = at_;
    const bool negative = Take("-");
    Int128 magnitude = 0;
    std::size_t digits = 0;
    for (; ok() && at_ < text_.size() && absl::ascii_isdigit(Byte()); ++at_, ++digits) {
      if (magnitude > (kMaxInt128 - 9) / 10) return RefuseNumber(start, low, high);
      magnitude = magnitude * 10 + (text_[at_] - '0');
    }
    const Int128 value = negative ? -magnitude : magnitude;
    if (!ok() || text_.substr(start, at_ - start) != ToString(value) || value < low ||
        value > high) {
      return RefuseNumber(start, low, high);
    }
    return value;
  }

  void Refuse(absl::string_view expected) {
    if (!ok()) return;
    status_ = absl::InvalidArgumentError(
        absl::StrCat("no statement of this version: at byte ", at_, " ", expected));
  }

 private:
  [[nodiscard]] unsigned char Byte() const { return static_cast<unsigned char>(text_[at_]); }

  Int128 RefuseNumber(std::size_t start, Int128 low, Int128 high) {
    at_ = ok() ? start : at_;
    Refuse(absl::StrCat("expected a whole number from ", ToString(low), " to ", ToString(high)));
    return 0;
  }

  absl::string_view text_;
  std::size_t at_ = 0;
  absl::Status status_;
};

Digest ReadDigest(Reader& reader) {
  const std::string hex = reader.Text();
  Digest digest{};
  const bool is_hex =
      hex.size() == 2 * digest.size() && std::ranges::all_of(hex, [](char c) {
        return absl::ascii_isdigit(static_cast<unsigned char>(c)) || (c >= 'a' && c <= 'f');
      });
  if (!is_hex) {
    reader.Refuse("expected a digest of 64 digits 0-9 and a-f before it");
    return digest;
  }
  const std::string bytes = absl::HexStringToBytes(hex);
  std::ranges::transform(bytes, digest.begin(),
                         [](char c) { return static_cast<std::uint8_t>(c); });
  return digest;
}

Statement ReadBody(Reader& reader) {
  Statement statement;
  reader.Expect("{\"accounts\":");
  const Int128 accounts = reader.Number(0, UINT32_MAX);
  reader.Expect(",\"balances\":[");
  for (Int128 i = 0; i < accounts && reader.ok(); ++i) {
    if (i > 0) reader.Expect(",");
    StatedBalance balance;
    reader.Expect("{\"account\":");
    balance.account = reader.Text();
    reader.Expect(",\"balance_micros\":");
    balance.balance_micros = reader.Number(-kMaxInt128, kMaxInt128);
    reader.Expect(",\"currency\":");
    balance.currency = reader.Text();
    reader.Expect("}");
    statement.balances.push_back(std::move(balance));
  }
  reader.Expect("],\"digest\":");
  statement.digest = ReadDigest(reader);
  reader.Expect(",\"effective_time_ms\":");
  if (!reader.Take("null")) {
    statement.effective_time_ms =
        static_cast<std::int64_t>(reader.Number(0, std::numeric_limits<std::int64_t>::max()));
  }
  reader.Expect(",\"log\":");
  statement.log = reader.Text();
  reader.Expect(",\"market\":");
  statement.market = reader.Text();
  reader.Expect(",\"offset\":");
  statement.offset = static_cast<std::uint64_t>(reader.Number(0, UINT64_MAX));
  reader.Expect(",\"rules_version\":");
  statement.rules_version = static_cast<std::uint64_t>(reader.Number(0, UINT64_MAX));
  reader.Expect(BodyEnd());
  return statement;
}

std::optional<Seal> ReadSeal(Reader& reader) {
  reader.Expect(",\"public_key\":");
  if (reader.Take("null")) {
    reader.Expect(",\"signature\":null");
    return std::nullopt;
  }
  const absl::StatusOr<PublicKey> key = PublicKeyFromText(reader.Text());
  if (!key.ok()) reader.Refuse(absl::StrCat(key.status().message(), " before it"));
  reader.Expect(",\"signature\":");
  const absl::StatusOr<Signature> signature = SignatureFromText(reader.Text());
  if (!signature.ok()) reader.Refuse(absl::StrCat(signature.status().message(), " before it"));
  if (!reader.ok()) return std::nullopt;
  return Seal{.public_key = *key, .signature = *signature};
}

}  // namespace

bool IsPlainText(absl::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return absl::ascii_isprint(static_cast<unsigned char>(c)) && c != '"' && c != '\\';
  });
}

std::string StatementBody(const Statement& statement) {
  std::string json = absl::StrCat("{\"accounts\":", statement.balances.size(), ",\"balances\":[");
  for (std::size_t i = 0; i < statement.balances.size(); ++i) {
    const StatedBalance& balance = statement.balances[i];
    json.append(i > 0 ? ",{\"account\":" : "{\"account\":");
    AppendText(json, balance.account);
    absl::StrAppend(&json, ",\"balance_micros\":", ToString(balance.balance_micros),
                    ",\"currency\":");
    AppendText(json, balance.currency);
    json.push_back('}');
  }
  absl::StrAppend(
      &json, "],\"digest\":\"", ToHex(statement.digest), "\",\"effective_time_ms\":",
      statement.effective_time_ms.has_value() ? absl::StrCat(*statement.effective_time_ms) : "null",
      ",\"log\":");
  AppendText(json, statement.log);
  json.append(",\"market\":");
  AppendText(json, statement.market);
  absl::StrAppend(&json, ",\"offset\":", statement.offset,
                  ",\"rules_version\":", statement.rules_version, BodyEnd());
  return json;
}

std::string StatementText(const SealedStatement& sealed) {
  std::string text = absl::StrCat("{\"body\":", StatementBody(sealed.statement));
  if (sealed.seal.has_value()) {
    absl::StrAppend(&text, ",\"public_key\":\"", PublicKeyText(sealed.seal->public_key),
                    "\",\"signature\":\"", SignatureText(sealed.seal->signature), "\"}\n");
  } else {
    text.append(",\"public_key\":null,\"signature\":null}\n");
  }
  return text;
}

absl::StatusOr<SealedStatement> ReadStatement(absl::string_view text) {
  if (!absl::StartsWith(text, kStart)) {
    return absl::InvalidArgumentError(
        "no statement: expected one line of compact JSON, as `qmarket audit statement` prints it");
  }
  Reader reader(text);
  reader.Expect("{\"body\":");
  SealedStatement sealed;
  sealed.statement = ReadBody(reader);
  sealed.seal = ReadSeal(reader);
  reader.Expect("}\n");
  if (!reader.ok()) return reader.status();
  // Last, so that no way of writing the same twice can have been overlooked, nor bytes left over.
  if (StatementText(sealed) != text) {
    return absl::InvalidArgumentError("no statement of this version: more follows its end");
  }
  return sealed;
}

}  // namespace qmarket

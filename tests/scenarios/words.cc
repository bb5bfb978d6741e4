#include "tests/scenarios/words.h"

#include <limits>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include "tests/matcher/values.h"

namespace qmarket {

namespace {

const std::string& NoWord() {
  static const std::string& none = *new std::string;
  return none;
}

std::vector<std::string> Split(absl::string_view line) {
  std::vector<std::string> words;
  for (const absl::string_view word :
       absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
    if (absl::StartsWith(word, "#")) break;
    words.emplace_back(word);
  }
  return words;
}

}  // namespace

Words::Words(absl::string_view line) : words_(Split(line)) {}

const std::string& Words::Peek() const {
  return AtEnd() ? NoWord() : words_[next_];
}

void Words::Skip() {
  if (!AtEnd()) ++next_;
}

bool Words::Accept(absl::string_view phrase) {
  const std::vector<std::string> wanted = Split(phrase);
  if (!problem_.empty() || words_.size() - next_ < wanted.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (words_[next_ + i] != wanted[i]) return false;
  }
  next_ += wanted.size();
  return true;
}

void Words::Require(absl::string_view phrase) {
  if (!Accept(phrase)) Fail(absl::StrCat("\"", phrase, "\""));
}

std::string Words::Word(absl::string_view what) {
  if (AtEnd()) {
    Fail(what);
    return "";
  }
  return words_[next_++];
}

std::int64_t Words::Integer(absl::string_view what) {
  const std::optional<std::int64_t> value = ParseInteger(Peek());
  if (!value) Fail(what);
  if (AtEnd()) return 0;
  ++next_;
  return *value;
}

std::uint32_t Words::Count(absl::string_view what) {
  const std::optional<std::int64_t> value = ParseInteger(Peek());
  if (!value || *value < 0 || *value > std::numeric_limits<std::uint32_t>::max()) Fail(what);
  return static_cast<std::uint32_t>(Integer(what));
}

std::int64_t Words::Micros(absl::string_view what) {
  const std::optional<std::int64_t> value = ParseMicros(Peek());
  if (!value) Fail(absl::StrCat(what, " in credits, with up to six decimals"));
  if (AtEnd()) return 0;
  ++next_;
  return *value;
}

std::int64_t Words::MicrosPerHour(absl::string_view what) {
  const bool per_hour = absl::EndsWith(Peek(), "/h");
  const std::optional<std::int64_t> value = ParseMicros(absl::StripSuffix(Peek(), "/h"));
  if (!value || !per_hour) Fail(absl::StrCat(what, " in credits an hour, like 60/h"));
  if (AtEnd()) return 0;
  ++next_;
  return *value;
}

std::uint32_t Words::Percent(absl::string_view what) {
  const bool percent = absl::EndsWith(Peek(), "%");
  const std::optional<std::int64_t> value = ParseInteger(absl::StripSuffix(Peek(), "%"));
  if (!value || !percent || *value < 0 || *value > std::numeric_limits<std::uint32_t>::max()) {
    Fail(absl::StrCat(what, " in percent, like 25%"));
  }
  if (AtEnd()) return 0;
  ++next_;
  return static_cast<std::uint32_t>(*value);
}

std::int64_t Words::Duration(absl::string_view what) {
  const std::optional<std::int64_t> value = ParseDuration(Peek());
  if (!value) Fail(absl::StrCat(what, ", like 60s, 5m or 2h"));
  if (AtEnd()) return 0;
  ++next_;
  return *value;
}

std::int64_t Words::Clock(absl::string_view what) {
  const std::optional<std::int64_t> value = ParseClock(Peek());
  if (!value) Fail(absl::StrCat(what, ", like 00:05 or 00:05:30"));
  if (AtEnd()) return 0;
  ++next_;
  return *value;
}

void Words::RequireEnd(absl::string_view expected) {
  if (!AtEnd()) Fail(expected);
}

void Words::Fail(absl::string_view expected) {
  if (!problem_.empty()) return;
  problem_ = next_ < words_.size()
                 ? absl::StrCat("expected ", expected, ", found \"", words_[next_], "\"")
                 : absl::StrCat("expected ", expected, ", found the end of the line");
}

}  // namespace qmarket

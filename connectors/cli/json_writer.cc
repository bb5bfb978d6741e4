#include "connectors/cli/json_writer.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_format.h"

#include "events/check.h"

namespace qmarket {
namespace {

// The bytes of the UTF-8 character at the front of `text` (RFC 3629), 0 where there is none.
std::size_t CharacterBytes(absl::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  std::size_t bytes = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) bytes = 2;
  if (first >= 0xE0 && first <= 0xEF) bytes = 3;
  if (first >= 0xF0 && first <= 0xF4) bytes = 4;
  if (first == 0xE0) low = 0xA0;   // no overlong forms
  if (first == 0xED) high = 0x9F;  // no surrogates
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (bytes == 0 || text.size() < bytes || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < bytes; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return bytes;
}

constexpr char kReplacement[] = "\xEF\xBF\xBD";

}  // namespace

JsonWriter& JsonWriter::Key(absl::string_view key) {
  QM_CHECK(!levels_.empty() && levels_.back().end == '}' && !after_key_, "a key out of place");
  if (!levels_.back().empty) text_ += layout_ == Layout::kOneLine ? ", " : ",";
  levels_.back().empty = false;
  NewLine();
  Quote(key);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::Value(absl::string_view value) {
  BeforeValue();
  Quote(value);
  return *this;
}

JsonWriter& JsonWriter::Raw(absl::string_view text) {
  BeforeValue();
  text_.append(text.data(), text.size());
  return *this;
}

JsonWriter& JsonWriter::Begin(char open) {
  BeforeValue();
  text_ += open;
  levels_.push_back({.end = open == '{' ? '}' : ']'});
  return *this;
}

JsonWriter& JsonWriter::End(char close) {
  QM_CHECK(!levels_.empty() && levels_.back().end == close && !after_key_, "an end out of place");
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) NewLine();
  text_ += close;
  return *this;
}

void JsonWriter::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  QM_CHECK(levels_.back().end == ']', "a value without its key");
  if (!levels_.back().empty) text_ += layout_ == Layout::kOneLine ? ", " : ",";
  levels_.back().empty = false;
  NewLine();
}

void JsonWriter::NewLine() {
  if (layout_ == Layout::kOneLine) return;
  text_ += '\n';
  text_.append(2 * levels_.size(), ' ');
}

void JsonWriter::Quote(absl::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const std::size_t bytes = CharacterBytes(text);
    const char first = text.front();
    if (bytes == 0) {
      text_ += kReplacement;
    } else if (first == '"' || first == '\\') {
      text_ += '\\';
      text_ += first;
    } else if (static_cast<unsigned char>(first) < 0x20) {
      text_ += absl::StrFormat("\\u%04x", static_cast<unsigned char>(first));
    } else {
      text_.append(text.data(), bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  text_ += '"';
}

std::string JsonWriter::Take() {
  if (levels_.empty()) text_ += '\n';
  return std::exchange(text_, {});
}

}  // namespace qmarket

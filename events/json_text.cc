#include "events/json_text.h"

#include <array>

#include "events/field_rules.h"

namespace qmarket {
namespace {

// The short escape of a character, 'u' where it has none, 0 where it stands for itself.
char EscapeOf(char c) {
  switch (c) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? 'u' : '\0';
  }
}

}  // namespace

void AppendJsonString(absl::string_view text, std::string& json) {
  const bool valid = IsUtf8(text);
  json.push_back('"');
  for (const char c : text) {
    const char escape = EscapeOf(c);
    if (escape == 'u') {
      constexpr absl::string_view kHex = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      absl::StrAppend(&json, "\\u00", kHex.substr(byte >> 4, 1), kHex.substr(byte & 0xf, 1));
    } else if (escape != '\0') {
      json.push_back('\\');
      json.push_back(escape);
    } else if (!valid && static_cast<unsigned char>(c) >= 0x80) {
      json.append("\xef\xbf\xbd");
    } else {
      json.push_back(c);
    }
  }
  json.push_back('"');
}

}  // namespace qmarket

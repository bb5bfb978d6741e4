// The elements of canonical bytes (docs/formats.md), for the .cc files of this room.
//
//   unsigned   base-128 varint, low bits first, in as few bytes as it needs
//   signed     zigzag (0, -1, 1, -2, ...), then as unsigned
//   text       its length as unsigned, then its bytes
//   flag       one byte, 0 or 1
//   optional   a flag, then the value if there is one
//   enum       as unsigned
//   list       its length as unsigned, then the items
//   table      its fields in the order of TableOf
#ifndef QMARKET_EVENTS_CANONICAL_BYTES_H_
#define QMARKET_EVENTS_CANONICAL_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"

#include "events/field_table.h"
#include "events/outcome_fields.h"

namespace qmarket {

inline constexpr std::size_t kMaxVarintBytes = 10;

// Appends to a string that outlives it.
class CanonicalWriter {
 public:
  explicit CanonicalWriter(std::string& bytes) : bytes_(bytes) {}

  void Unsigned(std::uint64_t value) {
    char buffer[kMaxVarintBytes];
    std::size_t size = 0;
    while (value >= 0x80) {
      buffer[size++] = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    buffer[size++] = static_cast<char>(value);
    bytes_.append(buffer, size);
  }

  void Signed(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    Unsigned((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }

  void Text(absl::string_view text) {
    Unsigned(text.size());
    bytes_.append(text.data(), text.size());
  }

  template <typename V>
  void Value(const V& value) {
    if constexpr (std::is_same_v<V, std::string>) {
      Text(value);
    } else if constexpr (std::is_same_v<V, bool>) {
      bytes_.push_back(value ? '\1' : '\0');
    } else if constexpr (std::is_enum_v<V>) {
      Unsigned(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_integral_v<V> && std::is_signed_v<V>) {
      Signed(value);
    } else if constexpr (std::is_integral_v<V>) {
      Unsigned(value);
    } else if constexpr (IsOptional<V>::value) {
      Value(value.has_value());
      if (value.has_value()) Value(*value);
    } else if constexpr (IsVector<V>::value) {
      Unsigned(value.size());
      for (const auto& item : value)
        Value(item);
    } else {
      ForEachField<V>([&](const auto& field, std::size_t) { Value(value.*field.member); });
    }
  }

 private:
  std::string& bytes_;
};

// Reads what CanonicalWriter wrote, and nothing else. After the first bad byte ok() is false and
// all values are zero or empty, so that callers need to look at it only once.
class CanonicalReader {
 public:
  explicit CanonicalReader(absl::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool ok() const { return ok_; }

  [[nodiscard]] bool AtEnd() const { return position_ == bytes_.size(); }

  // Of the next byte to read, or of the value that was bad.
  [[nodiscard]] std::size_t position() const { return position_; }

  void Fail() { ok_ = false; }

  std::uint64_t Unsigned() {
    std::uint64_t value = 0;
    const std::size_t start = position_;
    for (unsigned shift = 0; ok_ && shift < 64; shift += 7) {
      if (AtEnd()) break;
      const auto byte = static_cast<std::uint8_t>(bytes_[position_++]);
      if (shift == 63 && byte > 1) break;  // more than 64 bits
      if (shift > 0 && byte == 0) break;   // a shorter form exists
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return FailAt(start);
  }

  std::int64_t Signed() {
    const std::uint64_t bits = Unsigned();
    return static_cast<std::int64_t>((bits >> 1) ^ (std::uint64_t{0} - (bits & 1)));
  }

  template <typename V>
  V Value() {
    if constexpr (std::is_same_v<V, std::string>) {
      return Text();
    } else if constexpr (std::is_same_v<V, bool>) {
      return Limited(1) != 0;
    } else if constexpr (std::is_enum_v<V>) {
      return static_cast<V>(Limited(static_cast<std::uint64_t>(kLastOf<V>)));
    } else if constexpr (std::is_same_v<V, std::int64_t>) {
      return Signed();
    } else if constexpr (std::is_same_v<V, std::uint64_t>) {
      return Unsigned();
    } else if constexpr (IsOptional<V>::value) {
      if (!Value<bool>()) return std::nullopt;
      return Value<typename IsOptional<V>::Inner>();
    } else if constexpr (IsVector<V>::value) {
      return List<typename IsVector<V>::Inner>();
    } else {
      V table;
      ForEachField<V>([&]<typename F>(const F& field, std::size_t) {
        table.*field.member = Value<typename F::Value>();
      });
      return table;
    }
  }

 private:
  std::uint64_t FailAt(std::size_t start) {
    if (ok_) position_ = start;
    ok_ = false;
    return 0;
  }

  std::uint64_t Limited(std::uint64_t most) {
    const std::size_t start = position_;
    const std::uint64_t value = Unsigned();
    return value <= most ? value : FailAt(start);
  }

  std::string Text() {
    const std::size_t start = position_;
    const std::uint64_t size = Unsigned();
    if (size > bytes_.size() - position_) FailAt(start);
    if (!ok_) return {};
    const absl::string_view text = bytes_.substr(position_, size);
    position_ += size;
    return std::string(text);
  }

  // Every item takes a byte at least, so a length that is too large ends where the bytes do.
  template <typename Item>
  std::vector<Item> List() {
    std::vector<Item> items;
    for (std::uint64_t left = Unsigned(); ok_ && left > 0; --left) {
      items.push_back(Value<Item>());
    }
    return items;
  }

  absl::string_view bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_CANONICAL_BYTES_H_

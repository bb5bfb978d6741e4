// Writes and reads the values of an image or a checkpoint, one after the other. For the .cc files
// that define them: image.cc, checkpoint_format.cc.
//
//   number     base-128 varint of 7 bits a byte, the low ones first; signed ones zigzag
//   128 bits   the low 64 bits, then the high ones, as numbers
//   text       its length, then its bytes
//   flag       one byte, 0 or 1
//   optional   a flag, then the value where there is one
//   list       its length, then the items
//   array      its bytes
//   struct     its fields, in the order of its Fields()
//
// Both sides walk the same Fields(), so that they cannot drift apart.
#ifndef QMARKET_MATCHER_CORE_IMAGE_ARCHIVE_H_
#define QMARKET_MATCHER_CORE_IMAGE_ARCHIVE_H_

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

#include "events/int128.h"
#include "events/units.h"
#include "matcher/core/id_vector.h"

namespace qmarket {

// T to be read into, or const T to be written.
template <typename T, typename U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

class ImageWriter {
 public:
  template <typename... T>
  void operator()(const T&... values) {
    (Put(values), ...);
  }

  [[nodiscard]] std::string Take() { return std::move(bytes_); }

 private:
  void Number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }

  void Put(bool value) { bytes_.push_back(value ? '\1' : '\0'); }

  template <std::unsigned_integral T>
  void Put(T value) {
    Number(value);
  }

  template <std::signed_integral T>
  void Put(T value) {
    const auto bits = static_cast<std::uint64_t>(std::int64_t{value});
    Number((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }

  template <typename T>
  requires std::is_enum_v<T>

  void Put(T value) { Number(static_cast<std::uint64_t>(value)); }

  void Put(Uint128 value) {
    Number(static_cast<std::uint64_t>(value));
    Number(static_cast<std::uint64_t>(value >> 64));
  }

  void Put(Int128 value) { Put(static_cast<Uint128>(value)); }

  void Put(const std::string& value) {
    Number(value.size());
    bytes_ += value;
  }

  template <typename Tag>
  void Put(const Quantity<Tag>& value) {
    Put(value.value());
  }

  template <typename Tag>
  void Put(const Id<Tag>& value) {
    Number(value.index());
  }

  template <std::size_t kSize>
  void Put(const std::array<std::uint8_t, kSize>& value) {
    bytes_.append(value.begin(), value.end());
  }

  template <typename T>
  void Put(const std::optional<T>& value) {
    Put(value.has_value());
    if (value.has_value()) Put(*value);
  }

  template <typename T>
  void Put(const std::vector<T>& values) {
    PutList(values);
  }

  template <typename IdType, typename T>
  void Put(const IdVector<IdType, T>& values) {
    PutList(values);
  }

  template <typename List>
  void PutList(const List& values) {
    Number(values.size());
    for (const auto& value : values)
      Put(value);
  }

  // A struct: found by its arguments.
  template <typename T>
  requires std::is_class_v<T>

  void Put(const T& value) { Fields(*this, value); }

  std::string bytes_;
};

// How many there are of everything that ids name: an id that is read lies below.
struct ImageCounts {
  std::uint32_t pools = 0;
  std::uint32_t teams = 0;
  std::uint32_t resources = 0;
  std::uint32_t bids = 0;
  std::uint32_t accounts = 0;
  std::uint32_t currencies = 0;

  [[nodiscard]] std::uint32_t Of(PoolId /*id*/) const { return pools; }

  [[nodiscard]] std::uint32_t Of(TeamId /*id*/) const { return teams; }

  [[nodiscard]] std::uint32_t Of(ResourceId /*id*/) const { return resources; }

  [[nodiscard]] std::uint32_t Of(BidId /*id*/) const { return bids; }

  [[nodiscard]] std::uint32_t Of(AccountId /*id*/) const { return accounts; }

  [[nodiscard]] std::uint32_t Of(CurrencyId /*id*/) const { return currencies; }
};

// After the first bad byte ok() is false, and all values are zero or empty from then on.
class ImageReader {
 public:
  explicit ImageReader(absl::string_view bytes) : rest_(bytes) {}

  // Ids are refused until this was called.
  void Expect(const ImageCounts& counts) { counts_ = counts; }

  template <typename... T>
  void operator()(T&... values) {
    (Get(values), ...);
  }

  [[nodiscard]] bool ok() const { return ok_; }

  [[nodiscard]] bool finished() const { return ok_ && rest_.empty(); }

  void Fail() {
    ok_ = false;
    rest_ = {};
  }

 private:
  std::uint64_t Number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    Fail();
    return 0;
  }

  template <typename T>
  T Limited() {
    const std::uint64_t value = Number();
    if (value > std::numeric_limits<T>::max()) Fail();
    return ok_ ? static_cast<T>(value) : T{};
  }

  void Get(bool& value) { value = Limited<std::uint8_t>() == 1; }

  template <std::unsigned_integral T>
  void Get(T& value) {
    value = Limited<T>();
  }

  template <std::signed_integral T>
  void Get(T& value) {
    const std::uint64_t bits = Number();
    const auto wide = static_cast<std::int64_t>((bits >> 1) ^ (std::uint64_t{0} - (bits & 1)));
    if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) Fail();
    value = ok_ ? static_cast<T>(wide) : T{};
  }

  template <typename T>
  requires std::is_enum_v<T>

  void Get(T& value) { value = static_cast<T>(Limited<std::underlying_type_t<T>>()); }

  void Get(Uint128& value) {
    const Uint128 low = Number();
    value = low | (Uint128{Number()} << 64);
  }

  void Get(Int128& value) {
    Uint128 bits = 0;
    Get(bits);
    value = static_cast<Int128>(bits);
  }

  void Get(std::string& value) {
    const std::uint64_t size = Number();
    if (size > rest_.size()) return Fail();
    value.assign(rest_.data(), size);
    rest_.remove_prefix(size);
  }

  template <typename Tag>
  void Get(Quantity<Tag>& value) {
    std::int64_t number = 0;
    Get(number);
    value = Quantity<Tag>(number);
  }

  template <typename Tag>
  void Get(Id<Tag>& value) {
    value = Id<Tag>(Limited<std::uint32_t>());
    if (value.index() >= counts_.Of(value)) Fail();
  }

  template <std::size_t kSize>
  void Get(std::array<std::uint8_t, kSize>& value) {
    if (rest_.size() < kSize) return Fail();
    std::copy_n(rest_.begin(), kSize, value.begin());
    rest_.remove_prefix(kSize);
  }

  template <typename T>
  void Get(std::optional<T>& value) {
    bool there = false;
    Get(there);
    value.reset();
    if (there) Get(value.emplace());
  }

  // Every item takes a byte at least, so that a length that is too large ends where the bytes do.
  template <typename T>
  void Get(std::vector<T>& values) {
    values.clear();
    for (std::uint64_t left = Number(); ok_ && left > 0; --left)
      Get(values.emplace_back());
  }

  template <typename IdType, typename T>
  void Get(IdVector<IdType, T>& values) {
    values = {};
    for (std::uint64_t left = Number(); ok_ && left > 0; --left) {
      T value{};
      Get(value);
      values.Add(std::move(value));
    }
  }

  template <typename T>
  requires std::is_class_v<T>

  void Get(T& value) { Fields(*this, value); }

  absl::string_view rest_;
  ImageCounts counts_;
  bool ok_ = true;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_IMAGE_ARCHIVE_H_

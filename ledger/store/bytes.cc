#include "ledger/store/bytes.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/string_view.h"

#include "events/int128.h"

namespace qmarket::store_format {
namespace {

template <typename Unsigned>
void PutBigEndian(std::string& out, Unsigned value) {
  for (int shift = static_cast<int>(sizeof(value)) * 8 - 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>((value >> shift) & 0xFF));
  }
}

template <typename Unsigned>
Unsigned GetBigEndian(absl::string_view bytes) {
  Unsigned value = 0;
  for (const char byte : bytes) {
    value = static_cast<Unsigned>((value << 8) | static_cast<std::uint8_t>(byte));
  }
  return value;
}

template <typename Unsigned>
void PutVarintOf(std::string& out, Unsigned value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7F) | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

}  // namespace

void PutFixed32(std::string& out, std::uint32_t value) {
  PutBigEndian(out, value);
}

void PutFixed64(std::string& out, std::uint64_t value) {
  PutBigEndian(out, value);
}

void PutVarint(std::string& out, std::uint64_t value) {
  PutVarintOf(out, value);
}

void PutSigned(std::string& out, Int128 value) {
  const Uint128 doubled = static_cast<Uint128>(value) << 1;
  PutVarintOf(out, value < 0 ? ~doubled : doubled);
}

void PutString(std::string& out, absl::string_view value) {
  PutVarint(out, value.size());
  out.append(value.data(), value.size());
}

std::uint8_t ByteReader::Byte() {
  const absl::string_view byte = Bytes(1);
  return byte.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(byte[0]);
}

std::uint32_t ByteReader::Fixed32() {
  return GetBigEndian<std::uint32_t>(Bytes(4));
}

std::uint64_t ByteReader::Fixed64() {
  return GetBigEndian<std::uint64_t>(Bytes(8));
}

std::uint64_t ByteReader::Varint() {
  const Uint128 value = Varint128();
  if (value > std::numeric_limits<std::uint64_t>::max()) {
    Fail();
    return 0;
  }
  return static_cast<std::uint64_t>(value);
}

Int128 ByteReader::Signed() {
  const Uint128 doubled = Varint128();
  const Uint128 half = doubled >> 1;
  return static_cast<Int128>((doubled & 1) != 0 ? ~half : half);
}

absl::string_view ByteReader::Bytes(std::size_t size) {
  if (size > rest_.size()) {
    Fail();
    return {};
  }
  const absl::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

absl::string_view ByteReader::String() {
  const std::uint64_t size = Varint();
  return Bytes(size);
}

Uint128 ByteReader::Varint128() {
  Uint128 value = 0;
  for (int shift = 0; shift < 128; shift += 7) {
    const std::uint8_t byte = Byte();
    const Uint128 bits = byte & 0x7F;
    if ((bits << shift) >> shift != bits) break;
    value |= bits << shift;
    if ((byte & 0x80) == 0) return value;
  }
  Fail();
  return 0;
}

void ByteReader::Fail() {
  ok_ = false;
  rest_ = {};
}

}  // namespace qmarket::store_format

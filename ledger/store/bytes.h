// Numbers and strings as bytes, and back, for the formats of format.h. Private to the store.
//
// Fixed-width numbers are big endian, so that keys sort as the numbers do. A varint has 7 bits a
// byte, the lowest first, the top bit set on all bytes but the last.
#ifndef QMARKET_LEDGER_STORE_BYTES_H_
#define QMARKET_LEDGER_STORE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

#include "events/int128.h"

namespace qmarket::store_format {

void PutFixed32(std::string& out, std::uint32_t value);
void PutFixed64(std::string& out, std::uint64_t value);
void PutVarint(std::string& out, std::uint64_t value);

// Small numbers of either sign in few bytes: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...
void PutSigned(std::string& out, Int128 value);

// A varint for the length, then the bytes.
void PutString(std::string& out, absl::string_view value);

// Reads what the functions above have written, front to back. A read past the end, or of a number
// that is too large, gives zero (or nothing) and makes ok() false from then on.
class ByteReader {
 public:
  explicit ByteReader(absl::string_view bytes) : rest_(bytes) {}

  std::uint8_t Byte();
  std::uint32_t Fixed32();
  std::uint64_t Fixed64();
  std::uint64_t Varint();
  Int128 Signed();
  absl::string_view Bytes(std::size_t size);
  absl::string_view String();

  [[nodiscard]] bool ok() const { return ok_; }

  // All was read, and rightly so.
  [[nodiscard]] bool finished() const { return ok_ && rest_.empty(); }

  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  Uint128 Varint128();
  void Fail();

  absl::string_view rest_;
  bool ok_ = true;
};

}  // namespace qmarket::store_format

#endif  // QMARKET_LEDGER_STORE_BYTES_H_

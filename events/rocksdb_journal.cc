#include "events/rocksdb_journal.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rocksdb/file_checksum.h"

#include "events/big_endian.h"

namespace qmarket {
namespace {

constexpr std::size_t kBlockBytes = 32 << 10;
constexpr std::size_t kHeaderBytes = 7;     // checksum, length, type
constexpr std::size_t kNumberedBytes = 11;  // and the number of the file
constexpr std::size_t kChecksumBytes = 4;
constexpr std::size_t kTypeAt = 6;
constexpr std::uint32_t kMaskDelta = 0xa282ead8;

// The types of pieces. Numbered ones are in files that are used again.
constexpr int kWhole = 1;
constexpr int kFirst = 2;
constexpr int kMiddle = 3;
constexpr int kLast = 4;
constexpr int kNumbered = 4;  // what their types are higher by

std::uint32_t LittleEndian(absl::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = (value << 8) | static_cast<std::uint8_t>(bytes[i - 1]);
  }
  return value;
}

std::uint32_t Crc32c(absl::string_view bytes) {
  static const auto factory = rocksdb::GetFileChecksumGenCrc32cFactory();
  const std::unique_ptr<rocksdb::FileChecksumGenerator> generator =
      factory->CreateFileChecksumGenerator({});
  generator->Update(bytes.data(), bytes.size());
  generator->Finalize();
  return static_cast<std::uint32_t>(FromBigEndian(generator->GetChecksum()));
}

// As it is stored: a checksum of bytes that hold checksums would be a weak one.
std::uint32_t Masked(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + kMaskDelta;
}

class Checker {
 public:
  using Take = absl::FunctionRef<void(absl::string_view)>;

  Checker(absl::string_view bytes, std::uint64_t number, Take take)
      : bytes_(bytes), number_(number), take_(take) {
    check_.bytes = bytes.size();
  }

  JournalCheck Run() {
    while (at_ < bytes_.size() && !check_.damage.has_value())
      CheckPiece();
    if (!check_.damage.has_value() && inside_) {
      Damage("the file ends within a record", /*torn=*/true);
    }
    return check_;
  }

 private:
  void CheckPiece() {
    const std::size_t block_end = std::min((at_ / kBlockBytes + 1) * kBlockBytes, bytes_.size());
    const absl::string_view rest = bytes_.substr(at_, block_end - at_);
    const bool last_block = block_end == bytes_.size();
    // What no header fits into is filled with zeros that nobody reads.
    if (rest.size() < kHeaderBytes) {
      if (last_block && at_ / kBlockBytes * kBlockBytes + kBlockBytes - at_ >= kHeaderBytes) {
        Damage("the file ends within a header", /*torn=*/true);
      }
      at_ = block_end;
      return;
    }
    const std::size_t length = LittleEndian(rest.substr(kChecksumBytes, 2));
    const int type = static_cast<std::uint8_t>(rest[kTypeAt]);
    if (type == 0 && length == 0 && IsZero(rest)) {
      at_ = block_end;  // room that was set aside, and never written
      return;
    }
    const bool numbered = type > kNumbered && type <= 2 * kNumbered;
    const std::size_t header = numbered ? kNumberedBytes : kHeaderBytes;
    if (type == 0 || type > 2 * kNumbered) {
      Damage(absl::StrCat("a piece has the unknown type ", type));
    } else if (header + length > rest.size()) {
      Damage(absl::StrCat("a piece says it has ", length, " bytes, and ", rest.size() - header,
                          " are left"),
             last_block);
    } else if (Masked(Crc32c(rest.substr(kTypeAt, header - kTypeAt + length))) !=
               LittleEndian(rest.substr(0, kChecksumBytes))) {
      Damage("the checksum of a piece is wrong");
    } else if (numbered &&
               LittleEndian(rest.substr(kHeaderBytes, 4)) != static_cast<std::uint32_t>(number_)) {
      at_ = bytes_.size();  // left over from the file's earlier use
    } else {
      TakePiece(numbered ? type - kNumbered : type, rest.substr(header, length));
      at_ += header + length;
    }
  }

  void TakePiece(int type, absl::string_view piece) {
    const bool begins = type == kWhole || type == kFirst;
    if (begins == inside_) {
      Damage(begins ? "a record begins within another one" : "a record goes on that never began");
      return;
    }
    inside_ = type == kFirst || type == kMiddle;
    absl::StrAppend(&record_, piece);
    if (inside_) return;
    ++check_.records;
    take_(record_);
    record_.clear();
  }

  static bool IsZero(absl::string_view bytes) {
    return std::ranges::all_of(bytes, [](char byte) { return byte == '\0'; });
  }

  void Damage(std::string what, bool torn = false) {
    check_.damage = JournalDamage{.position = at_, .what = std::move(what), .torn = torn};
  }

  absl::string_view bytes_;
  std::uint64_t number_;
  Take take_;
  std::size_t at_ = 0;
  bool inside_ = false;  // a record that goes on
  std::string record_;   // what there is of it
  JournalCheck check_;
};

}  // namespace

JournalCheck CheckJournal(absl::string_view bytes, std::uint64_t number,
                          absl::FunctionRef<void(absl::string_view)> take) {
  return Checker(bytes, number, take).Run();
}

}  // namespace qmarket

#include "events/rocksdb_manifest.h"

#include <cstddef>
#include <map>
#include <utility>

#include "events/rocksdb_journal.h"

namespace qmarket {
namespace {

// Tags of the fields of a record; a record is an edit of the list of files.
enum Tag : std::uint64_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactCursor = 5,
  kDeletedFile = 6,
  kPrevLogNumber = 9,
  kMinLogNumberToKeep = 10,
  kNewFile4 = 103,
  kColumnFamily = 200,
  kMaxColumnFamily = 203,
  kInAtomicGroup = 300,
  // From here on a reader may pass over what it does not know: a length, and so many bytes.
  kMayBeIgnored = 1U << 13,
};

// Of a new file's further fields, each a length and so many bytes.
enum FileTag : std::uint64_t {
  kTerminate = 1,
  kFileChecksum = 7,
  kFileChecksumName = 8,
  kMustBeKnown = 1U << 6,
};

class Reader {
 public:
  explicit Reader(absl::string_view rest) : rest_(rest) {}

  [[nodiscard]] bool ok() const { return ok_; }

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  void Fail() { ok_ = false; }

  std::uint64_t Number() {
    constexpr int kBits = 7;
    constexpr std::uint8_t kMore = 0x80;
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += kBits) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & ~kMore) << shift;
      if (byte < kMore) return value;
    }
    ok_ = false;
    return 0;
  }

  absl::string_view Text() {
    const std::uint64_t size = Number();
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const absl::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

 private:
  absl::string_view rest_;
  bool ok_ = true;
};

using Tables = std::map<std::uint64_t, TableFile>;

void ReadNewFile(Reader& reader, Tables& tables) {
  static_cast<void>(reader.Number());  // its level
  TableFile file;
  file.number = reader.Number();
  file.bytes = reader.Number();
  for (int key = 0; key < 2; ++key)
    static_cast<void>(reader.Text());  // its smallest and its largest
  for (int sequence = 0; sequence < 2; ++sequence)
    static_cast<void>(reader.Number());
  while (reader.ok()) {
    const std::uint64_t tag = reader.Number();
    if (!reader.ok() || tag == kTerminate) break;
    const absl::string_view value = reader.Text();
    if (tag == kFileChecksum) file.checksum = std::string(value);
    if (tag == kFileChecksumName) file.checksum_name = std::string(value);
    if ((tag & kMustBeKnown) != 0) reader.Fail();
  }
  if (reader.ok()) tables[file.number] = std::move(file);
}

// Whether all of the edit is known.
bool TakeEdit(absl::string_view record, Tables& tables) {
  Reader reader(record);
  while (reader.ok() && !reader.empty()) {
    const std::uint64_t tag = reader.Number();
    switch (tag) {
      case kComparator:
        static_cast<void>(reader.Text());
        break;
      case kLogNumber:
      case kNextFileNumber:
      case kLastSequence:
      case kPrevLogNumber:
      case kMinLogNumberToKeep:
      case kMaxColumnFamily:
      case kInAtomicGroup:
        static_cast<void>(reader.Number());
        break;
      case kColumnFamily:
        if (reader.Number() != 0) reader.Fail();
        break;
      case kCompactCursor:
        static_cast<void>(reader.Number());
        static_cast<void>(reader.Text());
        break;
      case kDeletedFile:
        static_cast<void>(reader.Number());  // its level
        tables.erase(reader.Number());
        break;
      case kNewFile4:
        ReadNewFile(reader, tables);
        break;
      default:
        if (tag < kMayBeIgnored) reader.Fail();
        static_cast<void>(reader.Text());
        break;
    }
  }
  return reader.ok();
}

}  // namespace

std::optional<std::vector<TableFile>> TablesOfManifest(absl::string_view bytes) {
  Tables tables;
  bool known = true;
  const JournalCheck read = CheckJournal(
      bytes, 0, [&](absl::string_view record) { known = known && TakeEdit(record, tables); });
  if (!known || read.damage.has_value()) return std::nullopt;
  std::vector<TableFile> list;
  list.reserve(tables.size());
  for (auto& [number, table] : tables)
    list.push_back(std::move(table));
  return list;
}

}  // namespace qmarket

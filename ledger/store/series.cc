#include "ledger/store/series.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"

#include "ledger/store/bytes.h"
#include "ledger/store/database.h"
#include "ledger/store/format.h"

namespace qmarket::store_format {
namespace {

std::string KeyOf(absl::string_view prefix, std::uint64_t position) {
  std::string key(prefix);
  PutFixed64(key, position);
  return key;
}

rocksdb::ReadOptions WholeOrder() {
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  return options;
}

}  // namespace

SeriesReader::SeriesReader(rocksdb::DB& db) : iterator_(db.NewIterator(WholeOrder())) {}

bool SeriesReader::AtBlockOf(absl::string_view prefix) const {
  return iterator_->Valid() && iterator_->key().size() == prefix.size() + kPositionBytes &&
         absl::StartsWith(ViewOf(iterator_->key()), prefix);
}

absl::StatusOr<std::optional<OwnedEntry>> SeriesReader::At(absl::string_view prefix,
                                                           std::uint64_t position) {
  iterator_->SeekForPrev(KeyOf(prefix, position));
  if (!AtBlockOf(prefix)) {
    if (!iterator_->status().ok()) return ReadingError(iterator_->status());
    return std::nullopt;
  }
  const absl::StatusOr<std::vector<Entry>> entries =
      DecodeBlock(ViewOf(iterator_->key()), ViewOf(iterator_->value()));
  if (!entries.ok()) return entries.status();
  // The block begins at or before the position, so the entry before the upper bound is there.
  const auto after = std::ranges::upper_bound(*entries, position, {}, &Entry::position);
  const Entry& entry = *(after - 1);
  return OwnedEntry{.position = entry.position, .value = std::string(entry.value)};
}

absl::Status SeriesReader::Scan(absl::string_view prefix, std::uint64_t from, std::uint64_t to,
                                absl::FunctionRef<bool(std::uint64_t, absl::string_view)> take) {
  // The first entry wanted may lie within a block that begins before it.
  iterator_->SeekForPrev(KeyOf(prefix, from));
  if (!AtBlockOf(prefix)) iterator_->Seek(KeyOf(prefix, from));
  for (; AtBlockOf(prefix); iterator_->Next()) {
    const absl::StatusOr<std::vector<Entry>> entries =
        DecodeBlock(ViewOf(iterator_->key()), ViewOf(iterator_->value()));
    if (!entries.ok()) return entries.status();
    for (const Entry& entry : *entries) {
      if (entry.position < from) continue;
      if (entry.position > to || !take(entry.position, entry.value)) return absl::OkStatus();
    }
  }
  return ReadingError(iterator_->status());
}

absl::Status SeriesReader::Names(absl::string_view prefix,
                                 absl::FunctionRef<bool(absl::string_view)> take) {
  std::string seek(prefix);
  while (true) {
    iterator_->Seek(seek);
    if (!iterator_->Valid() || !absl::StartsWith(ViewOf(iterator_->key()), prefix)) break;
    // prefix, name, zero byte, position
    const absl::string_view rest = ViewOf(iterator_->key()).substr(prefix.size());
    const std::size_t end = rest.find('\0');
    if (end == absl::string_view::npos) break;
    const std::string name(rest.substr(0, end));
    if (!take(name)) return absl::OkStatus();
    seek = std::string(prefix) + name + '\x01';
  }
  return ReadingError(iterator_->status());
}

}  // namespace qmarket::store_format

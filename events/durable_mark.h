// A small file that says up to which offset a database (the embedded log, or the ledger's store)
// has been on stable storage.
//
// The database drops what is damaged at the end of its journal, as it must after a crash. The mark
// tells a tail that was never acknowledged from one that was: what lies below the mark and is gone
// is lost data. It is written after each sync and not synced itself; after a power failure it may
// be older than the database, never newer.
//
// Format: the offset and the first 8 bytes of its SHA-256, 8 bytes each, big endian.
#ifndef QMARKET_EVENTS_DURABLE_MARK_H_
#define QMARKET_EVENTS_DURABLE_MARK_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace qmarket {

class DurableMark {
 public:
  // Opens the file for writing, and makes it where there is none.
  static absl::StatusOr<DurableMark> Open(const std::string& path);

  // The mark in the file at `path`; 0 where there is no such file. Errors: DataLoss where it is
  // damaged.
  static absl::StatusOr<std::uint64_t> Read(const std::string& path);

  DurableMark(DurableMark&& other) noexcept;
  DurableMark& operator=(DurableMark&& other) noexcept;
  DurableMark(const DurableMark&) = delete;
  DurableMark& operator=(const DurableMark&) = delete;
  ~DurableMark();

  // All below `end` is on stable storage.
  [[nodiscard]] absl::Status Write(std::uint64_t end);

 private:
  DurableMark(int file, std::string path) : file_(file), path_(std::move(path)) {}

  int file_ = -1;
  std::string path_;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_DURABLE_MARK_H_

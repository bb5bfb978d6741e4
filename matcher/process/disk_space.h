// Stops admitting before the disk is full: what is in the log must still fit into the store.
#ifndef QMARKET_MATCHER_PROCESS_DISK_SPACE_H_
#define QMARKET_MATCHER_PROCESS_DISK_SPACE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace qmarket {

// So much of the disk is kept free.
inline constexpr std::uint64_t kReservedDiskBytes = std::uint64_t{16} << 20;

// ResourceExhausted where the file system of the folder has less.
[[nodiscard]] absl::Status CheckDiskSpace(const std::string& dir);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_DISK_SPACE_H_

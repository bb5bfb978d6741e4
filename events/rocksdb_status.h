// rocksdb::Status as absl::Status, the one place where they meet. For .cc files of the event log
// and the ledger's store only.
#ifndef QMARKET_EVENTS_ROCKSDB_STATUS_H_
#define QMARKET_EVENTS_ROCKSDB_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "rocksdb/status.h"

namespace qmarket {

// OK stays OK. Else the message is "CONTEXT: what RocksDB said"; give a context that names what was
// done and the folder. Corruption, and files that are missing or cut, are DataLoss; a full disk or
// a limit on files is ResourceExhausted; a lock that another process holds is Unavailable; busy and
// timed-out calls are Aborted and DeadlineExceeded.
[[nodiscard]] absl::Status FromRocksdb(const rocksdb::Status& status, absl::string_view context);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_ROCKSDB_STATUS_H_

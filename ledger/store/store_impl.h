// What a LedgerStore holds. Private to the store: it speaks RocksDB.
#ifndef QMARKET_LEDGER_STORE_STORE_IMPL_H_
#define QMARKET_LEDGER_STORE_STORE_IMPL_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "rocksdb/db.h"

#include "events/durable_mark.h"
#include "ledger/core/book.h"
#include "ledger/store/state.h"
#include "ledger/store/store.h"

namespace qmarket {

class LedgerStore::Impl {
 public:
  std::string dir;
  Mode mode = Mode::kReadOnly;
  std::unique_ptr<rocksdb::DB> db;

  // The writer's alone: all accounts as of the last commit, the mark of what is durable, what was
  // lost before the opening, and why no more can be written.
  Book book;
  std::optional<DurableMark> mark;
  std::optional<OffsetRange> lost;
  absl::Status failure;

  mutable std::mutex mutex;  // of the state
  StoreState state;
};

}  // namespace qmarket

#endif  // QMARKET_LEDGER_STORE_STORE_IMPL_H_

// What a LedgerStore holds. Private to the store: it speaks RocksDB.
#ifndef QMARKET_LEDGER_STORE_STORE_IMPL_H_
#define QMARKET_LEDGER_STORE_STORE_IMPL_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "rocksdb/db.h"

#include "ledger/core/book.h"
#include "ledger/store/state.h"
#include "ledger/store/store.h"

namespace qmarket {

class LedgerStore::Impl {
 public:
  std::string dir;
  Mode mode = Mode::kReadOnly;
  std::unique_ptr<rocksdb::DB> db;

  // The writer's alone: all accounts as of the last commit, and why no more can be written.
  Book book;
  absl::Status failure;

  mutable absl::Mutex mutex;
  StoreState state ABSL_GUARDED_BY(mutex);
};

}  // namespace qmarket

#endif  // QMARKET_LEDGER_STORE_STORE_IMPL_H_

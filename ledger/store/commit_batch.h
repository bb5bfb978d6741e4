// Turns a commit into one write batch, checking it on the way. Private to the store.
#ifndef QMARKET_LEDGER_STORE_COMMIT_BATCH_H_
#define QMARKET_LEDGER_STORE_COMMIT_BATCH_H_

#include "rocksdb/write_batch.h"

#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "ledger/store/state.h"

namespace qmarket::store_format {

struct CommitBatch {
  rocksdb::WriteBatch batch;
  StoreState state;  // after the commit
};

// Posts the commit to `book`, which holds the accounts as of `before`, and gives what to write. A
// commit that does not follow on `before`, or breaks a rule, stops the process.
[[nodiscard]] CommitBatch MakeBatch(const LedgerCommit& commit, const StoreState& before,
                                    Book& book);

}  // namespace qmarket::store_format

#endif  // QMARKET_LEDGER_STORE_COMMIT_BATCH_H_

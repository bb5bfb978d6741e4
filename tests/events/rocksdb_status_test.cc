// What RocksDB says, in the words of the rest.

#include "events/rocksdb_status.h"

#include <vector>

#include "gtest/gtest.h"

namespace qmarket {
namespace {

TEST(FromRocksdb, OkIsOk) {
  EXPECT_TRUE(FromRocksdb(rocksdb::Status::OK(), "x").ok());
}

TEST(FromRocksdb, KeepsWhatWasSaid) {
  EXPECT_EQ(FromRocksdb(rocksdb::Status::Corruption("bad block", "in 7.sst"), "cannot read DIR")
                .message(),
            "cannot read DIR: Corruption: bad block: in 7.sst");
}

TEST(FromRocksdb, CodesAreThoseOfTheCause) {
  using Status = rocksdb::Status;

  struct Case {
    Status status;
    absl::StatusCode expected;
  };

  const std::vector<Case> cases = {
      {Status::NotFound(), absl::StatusCode::kNotFound},
      {Status::Corruption(), absl::StatusCode::kDataLoss},
      {Status::PathNotFound("f", "No such file"), absl::StatusCode::kDataLoss},
      {Status::NoSpace(), absl::StatusCode::kResourceExhausted},
      {Status::SpaceLimit(), absl::StatusCode::kResourceExhausted},
      {Status::IOError("While appending to file", "File too large"),
       absl::StatusCode::kResourceExhausted},
      {Status::IOError("While lock file: d/LOCK", "Resource temporarily unavailable"),
       absl::StatusCode::kUnavailable},
      {Status::IOError("lock hold by current process"), absl::StatusCode::kUnavailable},
      {Status::IOError("While open a file: f", "Permission denied"),
       absl::StatusCode::kPermissionDenied},
      {Status::IOError("else"), absl::StatusCode::kInternal},
      {Status::InvalidArgument(), absl::StatusCode::kInvalidArgument},
      {Status::NotSupported(), absl::StatusCode::kUnimplemented},
      {Status::Busy(), absl::StatusCode::kAborted},
      {Status::TryAgain(), absl::StatusCode::kAborted},
      {Status::TimedOut(), absl::StatusCode::kDeadlineExceeded},
      {Status::ShutdownInProgress(), absl::StatusCode::kCancelled},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(FromRocksdb(one.status, "x").code(), one.expected) << one.status.ToString();
  }
}

}  // namespace
}  // namespace qmarket

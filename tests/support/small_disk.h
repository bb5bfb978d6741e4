// Runs a test on a small file system of its own.
//
//   TEST(DiskTest, AFullDisk) {
//     const SmallDisk disk(24);
//     if (!disk.inside()) return;
//     ... write to disk.path() ...
//   }
//
// The test runs again, alone, in a new process with a mount namespace of its own, and inside() is
// true there; the outer one fails if that one does, and is skipped where no file system can be
// mounted.
#ifndef QMARKET_TESTS_SUPPORT_SMALL_DISK_H_
#define QMARKET_TESTS_SUPPORT_SMALL_DISK_H_

#include <string>

#include "tests/support/temp_folder.h"

namespace qmarket {

class SmallDisk {
 public:
  explicit SmallDisk(int megabytes);

  [[nodiscard]] bool inside() const { return inside_; }

  [[nodiscard]] const std::string& path() const { return path_; }

  // Makes the disk larger.
  void Grow(int megabytes) const;

 private:
  TempFolder folder_;
  std::string path_;
  bool inside_ = false;
};

}  // namespace qmarket

#endif  // QMARKET_TESTS_SUPPORT_SMALL_DISK_H_

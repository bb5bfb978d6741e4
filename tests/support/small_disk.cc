#include "tests/support/small_disk.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

#include "events/check.h"

namespace qmarket {
namespace {

constexpr char kVariable[] = "QMARKET_TEST_SMALL_DISK";
constexpr int kImpossible = 77;

std::string SizeOption(int megabytes) {
  return absl::StrCat("size=", megabytes, "m");
}

// In the new process: a disk at `path`, then the same test once more.
[[noreturn]] void EnterDisk(const char* path, const char* size, char* const* arguments) {
  const int spaces = ::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
  const bool mounted = ::unshare(spaces) == 0 &&
                       ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       ::mount("none", path, "tmpfs", 0, size) == 0;
  if (mounted && ::setenv(kVariable, path, 1) == 0) ::execv("/proc/self/exe", arguments);
  ::_exit(kImpossible);
}

void Judge(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == kImpossible) {
    GTEST_SKIP() << "no file system can be mounted here";
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the test fails on the small disk";
}

}  // namespace

SmallDisk::SmallDisk(int megabytes) : path_(folder_.path()) {
  if (const char* const path = std::getenv(kVariable)) {
    path_ = path;
    inside_ = true;
    return;
  }
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string filter = absl::StrCat("--gtest_filter=", test.test_suite_name(), ".", test.name());
  std::string program = "test";
  char* const arguments[] = {program.data(), filter.data(), nullptr};
  const std::string size = SizeOption(megabytes);
  const pid_t child = ::fork();
  QM_CHECK(child >= 0, "no process can be made");
  if (child == 0) EnterDisk(path_.c_str(), size.c_str(), arguments);
  int status = 0;
  QM_CHECK(::waitpid(child, &status, 0) == child, "a child is lost");
  Judge(status);
}

void SmallDisk::Grow(int megabytes) const {
  QM_CHECK(inside_ && ::mount("none", path_.c_str(), "tmpfs", MS_REMOUNT,
                              SizeOption(megabytes).c_str()) == 0,
           "the small disk does not grow");
}

}  // namespace qmarket

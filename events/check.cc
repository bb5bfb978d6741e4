#include "events/check.h"

#include <cstdio>
#include <cstdlib>

namespace qmarket {

void CheckFailed(const char* file, int line, const char* condition, const char* message) {
  std::fprintf(stderr, "qmarket: broken invariant at %s:%d: %s (%s)\n", file, line, message,
               condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace qmarket

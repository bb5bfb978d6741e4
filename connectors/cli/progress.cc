#include "connectors/cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

#include "connectors/cli/text.h"

namespace qmarket {
namespace {

constexpr absl::Duration kBetween = absl::Milliseconds(100);
constexpr absl::Duration kBeforeFirst = absl::Milliseconds(500);
constexpr std::size_t kBarWidth = 30;

std::string Bar(std::uint64_t done, std::uint64_t total) {
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto full = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  return absl::StrFormat("[%s%s] %3.0f %%", std::string(full, '#'),
                         std::string(kBarWidth - full, '.'), 100 * share);
}

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)),
      shown_at_all_(::isatty(STDERR_FILENO) == 1),
      start_(absl::Now()),
      last_(start_) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::Show(std::uint64_t done, std::uint64_t total) {
  const absl::Time now = absl::Now();
  if (now - start_ < kBeforeFirst || now - last_ < kBetween) return;
  last_ = now;
  drawn_ = true;
  const double rate = static_cast<double>(done) / absl::ToDoubleSeconds(now - start_);
  const std::string line =
      absl::StrCat("\r\x1b[K", what_, " ", total == 0 ? "" : absl::StrCat(Bar(done, total), "  "),
                   CountText(Int128{done}), ", ", CountText(static_cast<Int128>(rate)), "/s");
  std::fputs(line.c_str(), stderr);
}

}  // namespace qmarket

#include "connectors/books/writer.h"

#include "absl/time/time.h"

#include "events/check.h"

namespace qmarket {

std::unique_ptr<BookWriter> NewBookWriter(BookFormat format) {
  switch (format) {
    case BookFormat::kHledger:
      return NewHledgerWriter();
    case BookFormat::kLedger:
      return NewLedgerWriter();
    case BookFormat::kBeancount:
      return NewBeancountWriter();
    case BookFormat::kCsv:
      return NewCsvWriter();
  }
  QM_CHECK(false, "an unknown format of books");
}

std::string DayText(std::int64_t time_ms) {
  return absl::FormatTime("%Y-%m-%d", absl::FromUnixMillis(time_ms), absl::UTCTimeZone());
}

}  // namespace qmarket

#include "connectors/books/journal.h"

#include "absl/strings/str_cat.h"

#include "connectors/books/names.h"

namespace qmarket {

std::string JournalPosting(const BookChart& chart, const ExportedPosting& posting) {
  const std::string commodity = JournalCommodity(chart.currencies[posting.currency]);
  const std::string account =
      posting.account == nullptr ? kJournalOpeningAccount : JournalAccount(*posting.account);
  std::string text =
      absl::StrCat("    ", account, "  ", SixDecimals(posting.amount), " ", commodity);
  if (posting.balance.has_value()) {
    absl::StrAppend(&text, " = ", SixDecimals(*posting.balance), " ", commodity);
  }
  return text;
}

std::string JournalIncludes(absl::Span<const std::string> files) {
  std::string text;
  for (const std::string& file : files)
    absl::StrAppend(&text, "include ", file, "\n");
  return text;
}

}  // namespace qmarket

// Books for beancount. It asserts balances at the beginning of a day, so each day begins with those
// of the accounts that the days before it changed, and the day after the last one asserts the rest.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"

#include "connectors/books/names.h"
#include "connectors/books/writer.h"
#include "connectors/cli/text.h"

namespace qmarket {
namespace {

constexpr char kOpeningAccount[] = "Equity:Opening";
constexpr std::int64_t kMsPerDay = 86'400'000;

std::string Metadata(absl::string_view indent, absl::string_view name, absl::string_view value) {
  return value.empty() ? "" : absl::StrCat(indent, name, ": ", BeancountText(value), "\n");
}

class BeancountWriter : public BookWriter {
 public:
  std::string Extension() const override { return "beancount"; }

  std::string Begin(const BookHeader& header) override {
    chart_ = header.chart;
    day_ms_ = header.first_time_ms;
    const std::string day = DayText(header.first_time_ms);
    std::string text = absl::StrCat("option \"title\" ", BeancountText(header.title), "\n",
                                    // A micro-credit too much or too little is an error.
                                    "option \"inferred_tolerance_multiplier\" \"0\"\n\n");
    for (const std::uint32_t index : header.currencies) {
      const BookCurrency& currency = chart_->currencies[index];
      absl::StrAppend(
          &text, day, " commodity ", BeancountCommodity(currency), "\n",
          Metadata("  ", "name", currency.pool.empty() ? "reference credits" : currency.pool));
    }
    absl::StrAppend(&text, "\n", day, " open ", kOpeningAccount, "\n");
    for (const BookAccount* account : header.accounts) {
      absl::StrAppend(&text, day, " open ", BeancountAccount(*account), " ",
                      BeancountCommodity(chart_->CurrencyOf(*account)), "\n",
                      Metadata("  ", "name", account->name));
    }
    return text + "\n";
  }

  std::string Transaction(const ExportedTransaction& transaction) override {
    std::string text;
    const std::string day = DayText(transaction.time_ms);
    if (day != DayText(day_ms_)) {
      text = Assertions(transaction.time_ms);
      day_ms_ = transaction.time_ms;
    }
    absl::StrAppend(&text, day, " * ", BeancountText(transaction.type), "\n",
                    Metadata("  ", "actor", transaction.actor),
                    Metadata("  ", "source", transaction.source));
    std::string origin;
    if (transaction.offset.has_value()) {
      origin = absl::StrCat(Metadata("    ", "event_id", transaction.event_id),
                            "    offset: ", *transaction.offset, "\n");
    }
    absl::StrAppend(&origin, Metadata("    ", "time", TimeText(transaction.time_ms)));
    for (const ExportedPosting& posting : transaction.postings) {
      absl::StrAppend(
          &text, "  ",
          posting.account == nullptr ? kOpeningAccount : BeancountAccount(*posting.account), "  ",
          SixDecimals(posting.amount), " ",
          BeancountCommodity(chart_->currencies[posting.currency]), "\n", origin,
          Metadata("    ", "kind", posting.kind.has_value() ? PostingKindName(*posting.kind) : ""),
          Metadata("    ", "resource", posting.resource));
      if (posting.balance.has_value()) changed_[posting.account] = *posting.balance;
    }
    return text + "\n";
  }

  std::string End() override { return Assertions(day_ms_ + kMsPerDay); }

  std::string Includes(absl::Span<const std::string> files) const override {
    std::string text;
    for (const std::string& file : files) {
      absl::StrAppend(&text, "include ", BeancountText(file), "\n");
    }
    return text;
  }

 private:
  // In the order of the chart, whose accounts lie side by side.
  std::string Assertions(std::int64_t time_ms) {
    std::string text;
    for (const auto& [account, balance] : changed_) {
      absl::StrAppend(&text, DayText(time_ms), " balance ", BeancountAccount(*account), "  ",
                      SixDecimals(balance), " ~ 0.000000 ",
                      BeancountCommodity(chart_->CurrencyOf(*account)), "\n");
    }
    changed_.clear();
    return text.empty() ? text : text + "\n";
  }

  const BookChart* chart_ = nullptr;
  std::int64_t day_ms_ = 0;
  std::map<const BookAccount*, Int128> changed_;  // since the last assertions
};

}  // namespace

std::unique_ptr<BookWriter> NewBeancountWriter() {
  return std::make_unique<BeancountWriter>();
}

}  // namespace qmarket

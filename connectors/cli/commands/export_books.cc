#include "connectors/cli/commands/export_books.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "connectors/books/keeper.h"
#include "connectors/books/selection.h"
#include "connectors/books/sink.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/progress.h"
#include "connectors/cli/text.h"
#include "replay/event_lookup.h"

namespace qmarket {
namespace {

constexpr char kFileStem[] = "books";

std::string TitleOf(const ExportOptions& options) {
  std::string title = absl::StrCat("Quota Market, market ", options.query.log.market);
  if (!options.team.empty()) absl::StrAppend(&title, ", team ", options.team);
  if (!options.pool.empty()) absl::StrAppend(&title, ", pool ", options.pool);
  if (!options.query.from.empty()) absl::StrAppend(&title, ", from ", options.query.from);
  if (!options.until.empty()) {
    absl::StrAppend(&title, ", until ", options.until);
  } else if (!options.query.to.empty()) {
    absl::StrAppend(&title, ", to ", options.query.to);
  }
  return title;
}

absl::StatusOr<BookChart> ReadChart(const LedgerStore& store) {
  const absl::StatusOr<std::vector<std::string>> currencies = store.Currencies();
  if (!currencies.ok()) return currencies.status();
  const absl::StatusOr<std::vector<StoredAccount>> accounts = store.Accounts();
  if (!accounts.ok()) return accounts.status();
  return MakeBookChart(*currencies, *accounts);
}

// What has to be declared before the first transaction.
struct Survey {
  std::optional<std::uint64_t> first_offset{};
  std::vector<bool> occurs{};  // by account
};

absl::StatusOr<Survey> LookAhead(const Query& query, const BookChart& chart,
                                 const BookSelection& selection) {
  Survey survey;
  bool all_known = true;
  for (std::size_t i = 0; i < chart.accounts.size(); ++i) {
    survey.occurs.push_back(selection.IsWhole(AccountId(static_cast<std::uint32_t>(i))));
    all_known = all_known && survey.occurs.back();
  }
  const OffsetRange range = query.range();
  if (range.from > range.to) return survey;
  const absl::Status read =
      query.store().Journal(range, [&](std::uint64_t offset, absl::Span<const Posting> postings) {
        for (const Posting& posting : postings) {
          if (!selection.Takes(posting)) continue;
          if (!survey.first_offset.has_value()) survey.first_offset = offset;
          survey.occurs[posting.from.index()] = true;
          survey.occurs[posting.to.index()] = true;
        }
        return !all_known || !survey.first_offset.has_value();
      });
  if (!read.ok()) return read;
  return survey;
}

// Of the opening balances, or of the first transaction; 0 where there is neither.
absl::StatusOr<std::int64_t> FirstTime(Query& query, const ExportOptions& options,
                                       const Survey& survey) {
  if (!options.query.from.empty()) return ParseTime("--from", options.query.from);
  if (!survey.first_offset.has_value()) return 0;
  const absl::StatusOr<std::optional<std::int64_t>> time_ms = query.TimeAt(*survey.first_offset);
  if (!time_ms.ok()) return time_ms.status();
  return time_ms->value_or(0);
}

BookHeader MakeHeader(const BookChart& chart, const Survey& survey, std::string title,
                      std::int64_t first_time_ms) {
  BookHeader header{.title = std::move(title), .chart = &chart, .first_time_ms = first_time_ms};
  for (std::size_t i = 0; i < chart.accounts.size(); ++i) {
    if (!survey.occurs[i]) continue;
    header.accounts.push_back(&chart.accounts[i]);
    header.currencies.push_back(chart.accounts[i].currency);
  }
  std::ranges::sort(header.currencies);
  const auto doubles = std::ranges::unique(header.currencies);
  header.currencies.erase(doubles.begin(), doubles.end());
  return header;
}

// Adds what the log and the store know of the event.
absl::Status Describe(Query& query, EventLookup& events, ExportedTransaction& transaction) {
  const std::uint64_t offset = *transaction.offset;
  const absl::StatusOr<std::optional<std::int64_t>> time_ms = query.TimeAt(offset);
  if (!time_ms.ok()) return time_ms.status();
  if (!time_ms->has_value()) {
    return absl::DataLossError(absl::StrCat("offset ", offset, " moved credits and has no time"));
  }
  const absl::StatusOr<EventHead> head = events.At(offset);
  if (!head.ok()) return head.status();
  transaction.time_ms = **time_ms;
  transaction.event_id = head->event_id;
  transaction.type = head->payload_type;
  transaction.actor = head->actor;
  transaction.source = head->source;
  return absl::OkStatus();
}

absl::Status WriteTransactions(Query& query, EventLog& log, BookKeeper& keeper, BookWriter& writer,
                               BookSink& sink) {
  const OffsetRange range = query.range();
  if (range.from > range.to) return absl::OkStatus();
  EventLookup events(log);
  Progress progress("exporting");
  absl::Status failed;
  const absl::Status read =
      query.store().Journal(range, [&](std::uint64_t offset, absl::Span<const Posting> postings) {
        progress.Update(offset - range.from, range.to - range.from + 1);
        ExportedTransaction transaction{.offset = offset, .postings = keeper.Take(postings)};
        if (transaction.postings.empty()) return true;
        failed = Describe(query, events, transaction);
        if (failed.ok()) failed = sink.Add(writer.Transaction(transaction));
        return failed.ok() && sink.ok();
      });
  if (!read.ok()) return read;
  if (!failed.ok()) return failed;
  return sink.ok() ? keeper.Check(query.store(), range.to) : absl::OkStatus();
}

}  // namespace

absl::Status ExportBooks(Query& query, const ExportOptions& options, BookFormat format,
                         Output& out) {
  const absl::StatusOr<BookChart> chart = ReadChart(query.store());
  if (!chart.ok()) return chart.status();
  const absl::StatusOr<BookSelection> selection =
      BookSelection::Make(*chart, options.team, options.pool);
  if (!selection.ok()) return selection.status();
  const absl::StatusOr<Survey> survey = LookAhead(query, *chart, *selection);
  if (!survey.ok()) return survey.status();
  const absl::StatusOr<std::int64_t> first_ms = FirstTime(query, options, *survey);
  if (!first_ms.ok()) return first_ms.status();
  // Where nothing is applied up to the end, nothing was before it either.
  absl::StatusOr<BookKeeper> keeper = BookKeeper::Make(
      query.store(), *chart, *selection, query.offset().has_value() ? query.range().from : 0);
  if (!keeper.ok()) return keeper.status();
  const absl::StatusOr<std::unique_ptr<EventLog>> log =
      OpenLogOfStore(options.query.log, options.query.data_dir, query.store().state());
  if (!log.ok()) return log.status();
  const std::unique_ptr<BookWriter> writer = NewBookWriter(format);
  absl::StatusOr<BookSink> sink =
      BookSink::Open(options.out_dir, {.stem = kFileStem, .extension = writer->Extension()}, out);
  if (!sink.ok()) return sink.status();

  sink->Begin(writer->Begin(MakeHeader(*chart, *survey, TitleOf(options), *first_ms)),
              writer->BeginPart());
  const ExportedTransaction opening = keeper->Opening(*first_ms);
  if (!opening.postings.empty()) {
    if (absl::Status added = sink->Add(writer->Transaction(opening)); !added.ok()) return added;
  }
  absl::Status done = WriteTransactions(query, **log, *keeper, *writer, *sink);
  if (done.ok()) done = sink->AddTail(writer->End());
  if (done.ok()) {
    done =
        sink->Finish([&](absl::Span<const std::string> files) { return writer->Includes(files); });
  }
  if (done.ok()) out.Write(sink->Summary("transactions"));
  return done;
}

}  // namespace qmarket

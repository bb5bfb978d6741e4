// A list of records in any format: a table for people, one JSON document, or CSV.
//
//   RecordPrinter printer(out, format, "balances", {{"account", "account", Kind::kText},
//                                                   {"balance_micros", "balance cr",
//                                                   Kind::kMicros}});
//   printer.Moment(offset, time_ms);
//   printer.Add({"team:vision", Int128{12'500'000}});
//   printer.Finish();
//
// Programs get whole numbers under the key; people get credits and ISO times under the title. JSON
// and CSV are written as records come, so a long history takes no memory; a table keeps the last
// kMostTableRows of them and says how many it left out. Not thread-safe.
#ifndef QMARKET_CONNECTORS_CLI_RECORDS_H_
#define QMARKET_CONNECTORS_CLI_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "connectors/cli/json_writer.h"
#include "connectors/cli/output.h"
#include "events/int128.h"

namespace qmarket {

enum class Kind {
  kText,
  kCount,    // a whole number
  kOffset,   // a place in the log
  kMicros,   // an amount or a price in micro-credits
  kTimeMs,   // milliseconds since the epoch
  kHours,    // a stretch of time in milliseconds; people get hours
  kPpm,      // a share in millionths; people get percent
  kDecimal,  // a number with decimals, as text
};

struct RecordField {
  std::string key;    // in JSON and CSV
  std::string title;  // over the column of a table
  Kind kind = Kind::kText;
  bool detail = false;  // for programs: a table leaves it out
};

// No value is null in JSON, empty in CSV and "-" in a table. A bool is "yes" or "no" for people,
// and true or false for programs.
using Cell = std::variant<std::monostate, std::string, Int128, bool>;

template <typename T>
Cell OptionalCell(const std::optional<T>& value) {
  return value.has_value() ? Cell(Int128{*value}) : Cell();
}

class RecordPrinter {
 public:
  static constexpr std::size_t kMostTableRows = 1000;

  // `list` is the key of the records in the JSON document.
  RecordPrinter(Output& out, Format format, std::string list, std::vector<RecordField> fields);

  // The moment that the records are of: the first fields of the document, a line over the table.
  // Called before the first record, or not at all.
  void Moment(std::optional<std::uint64_t> offset, std::optional<std::int64_t> time_ms);

  // As many cells as there are fields. False where nothing can be written any more.
  bool Add(std::vector<Cell> cells);

  [[nodiscard]] std::size_t size() const { return records_; }

  // `none` is what a table says where there are no records.
  void Finish(const std::string& none);

 private:
  void BeginList();
  void WriteJson(const std::vector<Cell>& cells);
  void WriteCsv(const std::vector<Cell>& cells);
  void WriteTable(const std::string& none);

  Output& out_;
  Format format_;
  std::string list_;
  std::vector<RecordField> fields_;
  JsonWriter json_;
  bool begun_ = false;
  std::size_t records_ = 0;
  std::deque<std::vector<Cell>> rows_;  // of a table
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_RECORDS_H_

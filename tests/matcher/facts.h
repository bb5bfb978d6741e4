// The market and its outcomes as tables of text: for expectations, for comparing states, and for
// showing them to people.
//
// A schema says which tables there are. The first columns of a table are its keys. Values are in
// the forms of values.h, "none" where there is none.
#ifndef QMARKET_TESTS_MATCHER_FACTS_H_
#define QMARKET_TESTS_MATCHER_FACTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/outcome.h"
#include "matcher/core/market.h"

namespace qmarket {

enum class Form { kWord, kCount, kAmount, kClock, kDuration };

struct Column {
  std::string name;
  Form form = Form::kWord;
};

struct Schema {
  std::string name;
  std::size_t keys = 0;  // how many of the columns
  std::vector<Column> columns;
};

using Row = std::vector<std::string>;  // one value a column

struct Table {
  const Schema* schema = nullptr;
  std::vector<Row> rows;

  friend bool operator==(const Table&, const Table&) = default;
};

// Of the market's state: market, team, pool, resource, price, bid, account.
[[nodiscard]] absl::Span<const Schema> StateSchemas();

// Of outcomes: rejected, late, preempted, posted, quota.
[[nodiscard]] absl::Span<const Schema> OutcomeSchemas();

// All of the market's state, in the order of the schemas.
[[nodiscard]] std::vector<Table> StateTables(const Market& market);

// In the order of the schemas; rows in the order of the outcomes.
[[nodiscard]] std::vector<Table> OutcomeTables(absl::Span<const Outcome> outcomes);

// Aligned text with a head line; "" for a table without rows.
[[nodiscard]] std::string ToText(const Table& table);

}  // namespace qmarket

#endif  // QMARKET_TESTS_MATCHER_FACTS_H_

// Rows of cost and usage in the columns of FOCUS 1.0 (the FinOps Open Cost and Usage
// Specification), with those of 1.2 for prices in a virtual currency, as CSV.
//
// Which column says what is in docs/audit-export.md. Pure functions.
#ifndef QMARKET_CONNECTORS_BOOKS_FOCUS_H_
#define QMARKET_CONNECTORS_BOOKS_FOCUS_H_

#include <string>

#include "connectors/books/charge_rows.h"
#include "connectors/books/exact.h"

namespace qmarket {

struct FocusContext {
  std::string market;
  std::string billing_currency;  // ISO 4217
  std::string pool;              // of the row's team
  Decimal rate;                  // of the pool's credits in the billing currency
  std::string event_id;          // of the event that settled
  // Five columns again, under the names of a draft that focus-validator 1.0.0 asks for.
  bool validator_columns = false;
};

// The names of the columns.
[[nodiscard]] std::string FocusHead(bool validator_columns);

[[nodiscard]] std::string FocusLine(const ChargeRow& row, const FocusContext& context);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_FOCUS_H_

// What a credit of each pool is worth in the billing currency.
#ifndef QMARKET_CONNECTORS_BOOKS_RATES_H_
#define QMARKET_CONNECTORS_BOOKS_RATES_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "connectors/books/exact.h"

namespace qmarket {

class ChargebackRates {
 public:
  // From "RATE", for all pools, and "POOL=RATE". None at all: a credit is worth 1. Errors:
  // UsageError where one is not of that form, or is there twice.
  [[nodiscard]] static absl::StatusOr<ChargebackRates> Parse(absl::Span<const std::string> options);

  // UsageError where it has none.
  [[nodiscard]] absl::StatusOr<Decimal> Of(const std::string& pool) const;

  // The pools that are named.
  [[nodiscard]] const std::map<std::string, Decimal>& by_pool() const { return by_pool_; }

 private:
  std::optional<Decimal> general_;
  std::map<std::string, Decimal> by_pool_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_RATES_H_

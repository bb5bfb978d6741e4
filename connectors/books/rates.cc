#include "connectors/books/rates.h"

#include "absl/strings/str_cat.h"

#include "connectors/cli/exit_status.h"

namespace qmarket {

absl::StatusOr<ChargebackRates> ChargebackRates::Parse(absl::Span<const std::string> options) {
  ChargebackRates rates;
  for (const std::string& option : options) {
    const std::size_t equals = option.rfind('=');
    const bool named = equals != std::string::npos;
    const std::string pool = named ? option.substr(0, equals) : "";
    const std::string text = named ? option.substr(equals + 1) : option;
    const std::optional<Decimal> rate = ParseDecimal(text);
    if (!rate.has_value() || (named && pool.empty())) {
      return UsageError(absl::StrCat(
          "--rate: \"", option,
          "\" is no rate; expected a decimal number such as 1.25, at most 9 "
          "digits before and behind the point, for all pools, or search=1.25 for one"));
    }
    const bool is_new =
        named ? rates.by_pool_.emplace(pool, *rate).second : !rates.general_.has_value();
    if (!is_new) {
      return UsageError(
          absl::StrCat("--rate: given twice for ", named ? "pool " + pool : "all pools"));
    }
    if (!named) rates.general_ = *rate;
  }
  if (options.empty()) rates.general_ = Decimal{.digits = 1};
  return rates;
}

absl::StatusOr<Decimal> ChargebackRates::Of(const std::string& pool) const {
  if (const auto found = by_pool_.find(pool); found != by_pool_.end()) return found->second;
  if (general_.has_value()) return *general_;
  return UsageError(absl::StrCat("--rate: pool ", pool, " has no rate; give one with --rate ", pool,
                                 "=RATE, or one for all pools with --rate RATE"));
}

}  // namespace qmarket

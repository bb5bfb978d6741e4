#include "connectors/books/focus.h"

#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"

#include "connectors/cli/table.h"
#include "events/units.h"

namespace qmarket {
namespace {

constexpr char kProvider[] = "Quota Market";
constexpr char kUnit[] = "Chip-Hours";
constexpr int kQuantityDecimals = 12;
constexpr int kPriceDecimals = 18;  // a rate has at most 9 decimals, a micro-credit 6

// The format of FOCUS has whole seconds.
std::string FocusTime(std::int64_t time_ms) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixMillis(time_ms), absl::UTCTimeZone());
}

std::string MonthTime(absl::CivilMonth month) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromCivil(month, absl::UTCTimeZone()),
                          absl::UTCTimeZone());
}

Decimal CreditsOf(Int128 micros) {
  return {.digits = ToUint128(micros), .scale = 6};
}

// With a point in it, so that a reader that guesses types takes it for a decimal number.
std::string PointedText(std::string number) {
  return number.find('.') == std::string::npos ? number + ".0" : number;
}

std::string CostText(const Decimal& cost) {
  return PointedText(DecimalText(cost));
}

std::string ChipHours(Int128 chip_ms) {
  return PointedText(QuotientText({.digits = ToUint128(chip_ms), .scale = 0}, 1,
                                  ToUint128(kMsPerHour), kQuantityDecimals));
}

// What an hour of a chip cost on the average: the price changes from cycle to cycle.
std::string UnitPrice(const Decimal& cost, Int128 paid_ms) {
  if (paid_ms == 0) return "0.0";
  return PointedText(QuotientText(cost, static_cast<std::uint64_t>(kMsPerHour), ToUint128(paid_ms),
                                  kPriceDecimals));
}

// A location can be a part of a resource's name: "h100@us-east" (mechanism §1).
std::string RegionOf(const std::string& resource) {
  const std::size_t at = resource.rfind('@');
  return at == std::string::npos ? "" : resource.substr(at + 1);
}

using Columns = std::vector<std::pair<std::string, std::string>>;

// In the order of their names, as the specification has them; custom ones behind them. An empty
// value is null.
Columns ColumnsOf(const ChargeRow& row, const FocusContext& context) {
  const Decimal credits = CreditsOf(row.charged_micros);
  const Decimal due = CreditsOf(Int128{row.charged_micros} + row.uncollected_micros);
  const std::string billed = CostText(Product(credits, context.rate));
  const std::string listed = CostText(Product(due, context.rate));
  const std::string unit_price = UnitPrice(Product(due, context.rate), row.used.paid_ms);
  const std::string credits_price = UnitPrice(due, row.used.paid_ms);
  // Of its end, so that nothing is added to a month that is over. One that ends at midnight ends in
  // the month before.
  const absl::CivilMonth month(
      absl::ToCivilSecond(absl::FromUnixMillis(row.to_ms - 1), absl::UTCTimeZone()));
  const std::string region = RegionOf(row.resource);
  Columns columns = {
      {"AvailabilityZone", ""},
      {"BilledCost", billed},
      {"BillingAccountId", context.pool},
      {"BillingAccountName", context.pool},
      {"BillingCurrency", context.billing_currency},
      {"BillingPeriodEnd", MonthTime(month + 1)},
      {"BillingPeriodStart", MonthTime(month)},
      {"ChargeCategory", "Usage"},
      {"ChargeClass", ""},
      {"ChargeDescription",
       absl::StrCat(row.resource, " chips of team ", row.team, ", settled at offset ", row.offset)},
      {"ChargeFrequency", "Usage-Based"},
      {"ChargePeriodEnd", FocusTime(row.to_ms)},
      {"ChargePeriodStart", FocusTime(row.from_ms)},
      {"CommitmentDiscountCategory", ""},
      {"CommitmentDiscountId", ""},
      {"CommitmentDiscountName", ""},
      {"CommitmentDiscountStatus", ""},
      {"CommitmentDiscountType", ""},
      {"ConsumedQuantity", ChipHours(row.used.held_ms)},
      {"ConsumedUnit", kUnit},
      {"ContractedCost", listed},
      {"ContractedUnitPrice", unit_price},
      {"EffectiveCost", billed},
      {"InvoiceIssuerName", kProvider},
      {"ListCost", listed},
      {"ListUnitPrice", unit_price},
      {"PricingCategory", "Dynamic"},
      {"PricingCurrency", absl::StrCat(context.pool, " credits")},
      {"PricingCurrencyContractedUnitPrice", credits_price},
      {"PricingCurrencyEffectiveCost", CostText(credits)},
      {"PricingCurrencyListUnitPrice", credits_price},
      {"PricingQuantity", ChipHours(row.used.paid_ms)},
      {"PricingUnit", kUnit},
      {"ProviderName", kProvider},
      {"PublisherName", kProvider},
      {"RegionId", region},
      {"RegionName", region},
      {"ResourceId", row.resource},
      {"ResourceName", row.resource},
      {"ResourceType", "Accelerator"},
      {"ServiceCategory", "Compute"},
      {"ServiceName", "Accelerators"},
      {"SkuId", row.resource},
      {"SkuPriceId", absl::StrCat(context.pool, "|", row.resource)},
      {"SubAccountId", row.team},
      {"SubAccountName", row.team},
      {"Tags", absl::StrCat("{\"market\": \"", context.market, "\"}")},
      {"x_ChargePeriodEndMs", absl::StrCat(row.to_ms)},
      {"x_ChargePeriodStartMs", absl::StrCat(row.from_ms)},
      {"x_ChipMilliseconds", ToString(row.used.held_ms)},
      {"x_EventId", context.event_id},
      {"x_Offset", absl::StrCat(row.offset)},
      {"x_PaidChipMilliseconds", ToString(row.used.paid_ms)},
  };
  if (!context.validator_columns) return columns;
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, std::string>>{{"ChargeType", "Usage"},
                                                                  {"InvoiceIssuer", kProvider},
                                                                  {"Provider", kProvider},
                                                                  {"Publisher", kProvider},
                                                                  {"ResourceID", row.resource}}) {
    columns.emplace_back(name, value);
  }
  return columns;
}

}  // namespace

std::string FocusHead(bool validator_columns) {
  FocusContext context;
  context.validator_columns = validator_columns;
  return absl::StrCat(
      absl::StrJoin(ColumnsOf({}, context), ",",
                    [](std::string* text, const auto& column) { text->append(column.first); }),
      "\n");
}

std::string FocusLine(const ChargeRow& row, const FocusContext& context) {
  return absl::StrCat(absl::StrJoin(ColumnsOf(row, context), ",",
                                    [](std::string* text, const auto& column) {
                                      text->append(CsvField(column.second));
                                    }),
                      "\n");
}

}  // namespace qmarket

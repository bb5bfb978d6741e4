#include "connectors/simulate/market_file.h"

#include <toml++/toml.h>

#include <cmath>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/text.h"
#include "events/field_rules.h"

namespace qmarket {
namespace {

constexpr std::int64_t kMostMicros = 1'000'000'000'000;  // a rate or price, as in the contract
constexpr std::int64_t kMostGrantMicros = 1'000'000'000'000'000;
constexpr std::int64_t kLongestAffordableMs = 30LL * 86'400'000;
constexpr double kMicros = 1e6;

absl::string_view View(std::string_view text) {
  return {text.data(), text.size()};
}

std::string ValueText(const toml::node& node) {
  if (const auto* text = node.as_string()) return QuotedForMessage(View(text->get()));
  std::ostringstream text;
  node.visit([&](const auto& value) {
    if constexpr (toml::is_value<decltype(value)>) {
      text << value;
    } else {
      text << "a " << value.type();
    }
  });
  return QuotedForMessage(text.str());
}

// The first error of a file.
class FirstError {
 public:
  explicit FirstError(absl::string_view file) : file_(file) {}

  void Add(const toml::source_region& where, absl::string_view message) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(absl::StrCat(file_, ":", where.begin.line, ": ", message));
  }

  [[nodiscard]] const absl::Status& status() const { return status_; }

 private:
  std::string file_;
  absl::Status status_;
};

// One table: its keys are asked for one by one; those that nobody asked for are errors.
class Section {
 public:
  Section(std::string path, const toml::table& table, FirstError& error)
      : path_(std::move(path)), table_(table), error_(error) {}

  std::optional<std::int64_t> Integer(absl::string_view key, std::int64_t low, std::int64_t high) {
    const toml::node* node = Find(key);
    if (node == nullptr) return std::nullopt;
    const auto* value = node->as_integer();
    if (value != nullptr && value->get() >= low && value->get() <= high) return value->get();
    Problem(key, *node, absl::StrCat("a whole number from ", low, " to ", high));
    return std::nullopt;
  }

  std::optional<bool> Boolean(absl::string_view key) {
    const toml::node* node = Find(key);
    if (node == nullptr) return std::nullopt;
    const auto* value = node->as_boolean();
    if (value != nullptr) return value->get();
    Problem(key, *node, "true or false");
    return std::nullopt;
  }

  std::optional<std::string> Text(absl::string_view key) {
    const toml::node* node = Find(key);
    if (node == nullptr) return std::nullopt;
    const auto* value = node->as_string();
    if (value != nullptr) return value->get();
    Problem(key, *node, "a text in quotes");
    return std::nullopt;
  }

  // Credits with up to six decimals, as micro-credits.
  std::optional<std::int64_t> Credits(absl::string_view key, std::int64_t high) {
    const toml::node* node = Find(key);
    if (node == nullptr) return std::nullopt;
    const std::optional<double> value = node->value<double>();
    if (value && *value >= 0 && *value * kMicros <= static_cast<double>(high)) {
      const double micros = std::round(*value * kMicros);
      // A tick of the price is a micro-credit: what is finer cannot be meant.
      if (std::abs(micros - *value * kMicros) < 1e-3 * std::max(1.0, micros * 1e-9)) {
        return static_cast<std::int64_t>(micros);
      }
    }
    Problem(key, *node,
            absl::StrCat("credits from 0 to ", CreditsNumber(Int128{high}),
                         " with at most six decimals"));
    return std::nullopt;
  }

  // A table below this one; nullptr where there is none.
  const toml::table* Table(absl::string_view key) {
    const toml::node* node = Find(key);
    if (node == nullptr) return nullptr;
    if (node->as_table() == nullptr) Problem(key, *node, "a table");
    return node->as_table();
  }

  // A list of tables; nullptr where there is none.
  const toml::array* Tables(absl::string_view key) {
    const toml::node* node = Find(key);
    if (node == nullptr) return nullptr;
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_homogeneous(toml::node_type::table)) {
      Problem(key, *node, absl::StrCat("a list of tables, [[", key, "]]"));
      return nullptr;
    }
    return array;
  }

  void Problem(absl::string_view key, const toml::node& node, absl::string_view expected) {
    error_.Add(node.source(),
               absl::StrCat(path_, key, ": ", ValueText(node), ": expected ", expected));
  }

  // Something wrong with the table as a whole.
  void Wrong(absl::string_view message) {
    error_.Add(table_.source(), absl::StrCat(Name(), ": ", message));
  }

  // To be called last: a key that nobody asked for is an error.
  void Finish() {
    for (const auto& [key, node] : table_) {
      if (known_.contains(std::string(key.str()))) continue;
      const std::vector<std::string> names(known_.begin(), known_.end());
      const absl::string_view name = View(key.str());
      const std::string what = IsName(name) ? UnknownName("key", name, names)
                                            : absl::StrCat("no key ", QuotedForMessage(name));
      error_.Add(key.source(), path_.empty() ? what : absl::StrCat(Name(), ": ", what));
    }
  }

 private:
  // The path without the dot at its end.
  [[nodiscard]] absl::string_view Name() const {
    return absl::string_view(path_).substr(0, path_.size() - 1);
  }

  const toml::node* Find(absl::string_view key) {
    known_.insert(std::string(key));
    return table_.get(std::string_view(key.data(), key.size()));
  }

  std::string path_;
  const toml::table& table_;
  FirstError& error_;
  std::set<std::string> known_;
};

MarketConfigured ReadMarket(Section section) {
  MarketConfigured market;
  const auto take = [&](absl::string_view key, std::int64_t low, std::int64_t high,
                        std::int64_t otherwise) {
    return section.Integer(key, low, high).value_or(otherwise);
  };
  market.cycle_ms = take("cycle_ms", 1'000, 3'600'000, market.cycle_ms);
  market.settlement_ms = take("settlement_ms", 10'000, 86'400'000, market.settlement_ms);
  // The contract: settlement must come often enough for what a team holds to stay affordable.
  const std::int64_t least = 2 * (market.settlement_ms + market.cycle_ms);
  market.keep_affordable_ms =
      take("keep_affordable_ms", least, kLongestAffordableMs, market.keep_affordable_ms);
  market.min_affordable_ms = take("min_affordable_ms", market.keep_affordable_ms,
                                  kLongestAffordableMs, market.min_affordable_ms);
  market.entry_margin_percent = static_cast<std::uint32_t>(
      take("entry_margin_percent", 0, 1'000, market.entry_margin_percent));
  market.purse_hours =
      static_cast<std::uint32_t>(take("purse_hours", 1, 8'760, market.purse_hours));
  if (market.keep_affordable_ms < least || market.min_affordable_ms < market.keep_affordable_ms) {
    section.Wrong(absl::StrCat("keep_affordable_ms is ", market.keep_affordable_ms,
                               " and min_affordable_ms ", market.min_affordable_ms,
                               ": expected at least 2 x (settlement_ms + cycle_ms) = ", least,
                               ", and the second not below the first"));
  }
  section.Finish();
  return market;
}

Overlay ReadOverlay(Section section, const toml::table& table) {
  Overlay overlay;
  overlay.credits_per_chip_hour_micros = section.Credits("credits_per_chip_hour", kMostMicros)
                                             .value_or(overlay.credits_per_chip_hour_micros);
  overlay.seed = static_cast<std::uint64_t>(
      section.Integer("seed", 0, INT64_MAX).value_or(static_cast<std::int64_t>(overlay.seed)));
  overlay.elastic_percent =
      static_cast<std::uint32_t>(section.Integer("elastic_percent", 0, 100).value_or(0));
  overlay.opportunistic_percent =
      static_cast<std::uint32_t>(section.Integer("opportunistic_percent", 0, 100).value_or(0));
  const std::string limits = section.Text("limits").value_or("none");
  overlay.seeded_limits = limits == "seeded";
  if (limits != "none" && limits != "seeded") {
    section.Problem("limits", *table.get("limits"), "\"none\" or \"seeded\"");
  }
  section.Finish();
  return overlay;
}

PoolRule ReadPool(Section section) {
  PoolRule rule;
  rule.market_weight_micros = section.Credits("market_weight", kMostMicros);
  rule.lend_idle = section.Boolean("lend_idle");
  section.Finish();
  return rule;
}

TeamRule ReadTeam(Section section) {
  TeamRule rule;
  rule.income_micros = section.Credits("income", kMostMicros);
  rule.income_leverage_percent = static_cast<std::uint32_t>(
      section.Integer("income_leverage_percent", 0, 1'000'000).value_or(0));
  rule.grant_micros = section.Credits("grant", kMostGrantMicros).value_or(0);
  section.Finish();
  return rule;
}

BidRule ReadBidRule(Section section, const toml::table& table) {
  BidRule rule;
  rule.pool = section.Text("pool");
  rule.team = section.Text("team");
  rule.resource = section.Text("resource");
  rule.at_least_chips = section.Integer("at_least_chips", 1, 1'000'000);
  rule.at_most_chips = section.Integer("at_most_chips", 1, 1'000'000);
  const toml::node* limit = table.get("limit_price");
  if (limit != nullptr && limit->value<std::string>() == "none") {
    (void)section.Text("limit_price");
    rule.limit_price_micros = -1;
  } else {
    rule.limit_price_micros = section.Credits("limit_price", kMostMicros);
  }
  const std::optional<std::int64_t> priority = section.Integer("priority", INT32_MIN, INT32_MAX);
  if (priority) rule.priority = static_cast<std::int32_t>(*priority);
  rule.opportunistic = section.Boolean("opportunistic");
  rule.standby = section.Boolean("standby");
  rule.min_chips_percent = section.Integer("min_chips_percent", 1, 100);
  section.Finish();
  return rule;
}

// Calls `read` with the section of each table below `table`.
template <typename Read>
void ForEachTable(const std::string& path, const toml::table& table, FirstError& error,
                  const Read& read) {
  for (const auto& [key, node] : table) {
    const absl::string_view name = View(key.str());
    if (!IsName(name)) {
      error.Add(key.source(),
                absl::StrCat(path, ": ", QuotedForMessage(name), ": expected a name"));
    } else if (node.as_table() == nullptr) {
      error.Add(node.source(), absl::StrCat(path, ".", name, ": expected a table"));
    } else {
      read(std::string(name), Section(absl::StrCat(path, ".", name, "."), *node.as_table(), error));
    }
  }
}

MarketFile ReadFile(const toml::table& root, FirstError& error) {
  MarketFile file;
  Section top("", root, error);
  if (const toml::table* table = top.Table("market")) {
    file.market = ReadMarket(Section("market.", *table, error));
  }
  if (const toml::table* table = top.Table("overlay")) {
    file.overlay = ReadOverlay(Section("overlay.", *table, error), *table);
  }
  if (const toml::table* table = top.Table("pools")) {
    ForEachTable("pools", *table, error, [&](std::string name, Section section) {
      file.pools.emplace(std::move(name), ReadPool(std::move(section)));
    });
  }
  if (const toml::table* table = top.Table("teams")) {
    ForEachTable("teams", *table, error, [&](std::string name, Section section) {
      file.teams.emplace(std::move(name), ReadTeam(std::move(section)));
    });
  }
  if (const toml::array* array = top.Tables("bids")) {
    for (const toml::node& node : *array) {
      const toml::table& table = *node.as_table();
      file.bids.push_back(ReadBidRule(Section("bids.", table, error), table));
    }
  }
  top.Finish();
  return file;
}

}  // namespace

absl::StatusOr<MarketFile> ParseMarketFile(absl::string_view file, absl::string_view text) {
  toml::table root;
  try {
    root = toml::parse(std::string_view(text.data(), text.size()));
  } catch (const toml::parse_error& problem) {
    return absl::InvalidArgumentError(absl::StrCat(file, ":", problem.source().begin.line, ":",
                                                   problem.source().begin.column, ": ",
                                                   View(problem.description())));
  }
  FirstError error(file);
  MarketFile market_file = ReadFile(root, error);
  if (!error.status().ok()) return error.status();
  return market_file;
}

}  // namespace qmarket

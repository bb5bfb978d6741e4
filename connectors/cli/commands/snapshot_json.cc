#include "connectors/cli/commands/snapshot_json.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/strict_json.h"
#include "events/field_rules.h"
#include <nlohmann/json.hpp>

namespace qmarket {
namespace {

using Json = nlohmann::json;

constexpr IntegerRange kBidChips{1, 1'000'000};
constexpr IntegerRange kSupply{0, 4'000'000};
constexpr IntegerRange kMargin{0, 1'000};
constexpr IntegerRange kBudget{0, 1'000'000'000'000'000'000};
constexpr IntegerRange kLimit{-1, 1'000'000'000'000};
constexpr IntegerRange kPriority{INT32_MIN, INT32_MAX};
constexpr IntegerRange kOrder{0, UINT64_MAX};

std::string Indexed(const std::string& path, const char* key, std::size_t index) {
  return absl::StrCat(JsonPath(path, key), "[", index, "]");
}

class SnapshotReader {
 public:
  absl::StatusOr<Snapshot> Read(const Json& tree) {
    Snapshot snapshot;
    JsonObject object(tree, "", errors_);
    snapshot.resource = Name(object, "resource");
    snapshot.shared = object.Integer<std::uint32_t>("shared", kSupply);
    snapshot.entry_margin_percent = object.Integer<std::uint32_t>("entry_margin_percent", kMargin,
                                                                  snapshot.entry_margin_percent);
    std::size_t index = 0;
    for (const Json& pool : object.Array("pools")) {
      snapshot.pools.push_back(ReadPool(JsonObject(pool, Indexed("", "pools", index++), errors_)));
    }
    object.Finish();
    if (!errors_.ok()) return errors_.status();
    return snapshot;
  }

 private:
  SnapshotPool ReadPool(JsonObject object) {
    SnapshotPool pool;
    pool.pool = UniqueName(object, "pool", pools_, "a name that no other pool has");
    pool.owned = object.Integer<std::uint32_t>("owned", kSupply);
    pool.lend_idle = object.Boolean("lend_idle", true);
    pool.plan_price_micros = object.OptionalInteger("plan_price_micros", kBudget);
    std::size_t index = 0;
    for (const Json& team : object.Array("teams")) {
      pool.teams.push_back(
          ReadTeam(JsonObject(team, Indexed(object.path(), "teams", index++), errors_)));
    }
    object.Finish();
    return pool;
  }

  SnapshotTeam ReadTeam(JsonObject object) {
    SnapshotTeam team;
    team.team = UniqueName(object, "team", teams_, "a name that no other team has");
    team.budget_micros_per_hour = object.Integer<std::int64_t>("budget_micros_per_hour", kBudget);
    team.keep_budget_micros_per_hour = object.Integer<std::int64_t>(
        "keep_budget_micros_per_hour", {team.budget_micros_per_hour, kBudget.high},
        team.budget_micros_per_hour);
    std::size_t index = 0;
    for (const Json& bid : object.Array("bids")) {
      team.bids.push_back(
          ReadBid(JsonObject(bid, Indexed(object.path(), "bids", index++), errors_)));
    }
    object.Finish();
    return team;
  }

  SnapshotBid ReadBid(JsonObject object) {
    SnapshotBid bid;
    bid.bid = UniqueName(object, "bid", bids_, "an id that no other bid has");
    bid.chips = object.Integer<std::uint32_t>("chips", kBidChips);
    bid.min_chips = object.Integer<std::uint32_t>("min_chips", {1, bid.chips}, bid.chips);
    bid.limit_price_micros = object.Integer<std::int64_t>("limit_price_micros", kLimit, -1);
    bid.priority = object.Integer<std::int32_t>("priority", kPriority, 0);
    bid.held = object.Integer<std::uint32_t>("held", {0, bid.chips}, 0);
    bid.paid = object.Integer<std::uint32_t>("paid", {0, bid.held}, bid.held);
    bid.opportunistic = object.Boolean("opportunistic", false);
    bid.standby = object.Boolean("standby", true);
    bid.order = ReadOrder(object);
    object.Finish();
    return bid;
  }

  // Places are given for all bids or for none; then the place in the file is taken.
  std::uint64_t ReadOrder(JsonObject& object) {
    const bool given = object.Has("order");
    if (!given_.has_value()) given_ = given;
    const std::uint64_t place = next_place_++;
    const auto order = object.Integer<std::uint64_t>("order", kOrder, place);
    if (given != *given_) {
      object.Refuse("order", "given for all bids or for none");
    } else if (!orders_.insert(order).second) {
      object.Refuse("order", "a number that no other bid has");
    }
    return order;
  }

  std::string Name(JsonObject& object, const char* key) {
    std::string name = object.Text(key);
    if (!IsName(name)) object.Refuse(key, "1 to 128 bytes of [A-Za-z0-9._@:/-]");
    return name;
  }

  std::string UniqueName(JsonObject& object, const char* key,
                         absl::flat_hash_set<std::string>& names, const char* expected) {
    std::string name = Name(object, key);
    if (!names.insert(name).second) object.Refuse(key, expected);
    return name;
  }

  JsonErrors errors_;
  absl::flat_hash_set<std::string> pools_;
  absl::flat_hash_set<std::string> teams_;
  absl::flat_hash_set<std::string> bids_;
  absl::flat_hash_set<std::uint64_t> orders_;
  std::optional<bool> given_;
  std::uint64_t next_place_ = 0;
};

void WriteBid(const ClearedBid& bid, JsonWriter& json) {
  json.BeginObject()
      .Field("bid", bid.bid)
      .Field("chips", bid.chips)
      .Field("paid", bid.paid)
      .Field("reservation_price_micros", bid.reservation_price_micros)
      .Key("filled_as");
  if (bid.filled_as == FilledAs::kNothing) {
    json.Null();
  } else {
    json.Value(FilledAsName(bid.filled_as));
  }
  json.EndObject();
}

void WriteTeam(const ClearedTeam& team, JsonWriter& json) {
  json.BeginObject()
      .Field("team", team.team)
      .Field("quota", team.quota)
      .Field("spend_micros_per_hour", team.spend_micros_per_hour)
      .Key("bids")
      .BeginArray();
  for (const ClearedBid& bid : team.bids)
    WriteBid(bid, json);
  json.EndArray().EndObject();
}

}  // namespace

const char* FilledAsName(FilledAs filled_as) {
  switch (filled_as) {
    case FilledAs::kNothing:
      return "";
    case FilledAs::kPrice:
      return "price";
    case FilledAs::kMarginal:
      return "marginal";
    case FilledAs::kUnpaid:
      return "unpaid";
  }
  return "";
}

absl::StatusOr<Snapshot> ParseSnapshot(absl::string_view json) {
  const absl::StatusOr<Json> tree = ParseStrictJson(json);
  if (!tree.ok()) return tree.status();
  return SnapshotReader().Read(*tree);
}

void WriteCleared(const ClearedSnapshot& cleared, JsonWriter& json) {
  json.BeginObject()
      .Field("resource", cleared.resource)
      .Field("reference_price_micros", cleared.reference_price_micros)
      .Field("shared_supply", cleared.shared_supply)
      .Key("pools")
      .BeginArray();
  for (const ClearedPool& pool : cleared.pools) {
    json.BeginObject()
        .Field("pool", pool.pool)
        .Field("price_micros", pool.price_micros)
        .Field("lent", pool.lent)
        .Key("teams")
        .BeginArray();
    for (const ClearedTeam& team : pool.teams)
      WriteTeam(team, json);
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace qmarket

// Snapshots from anyone: no bytes crash `qmarket clear`, and what it makes of them is a document in
// which no more chips are filled than there are.
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/commands/snapshot_json.h"
#include "connectors/cli/json_writer.h"
#include "events/check.h"
#include "matcher/core/snapshot.h"
#include <nlohmann/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<qmarket::Snapshot> snapshot = qmarket::ParseSnapshot(text);
  if (!snapshot.ok()) {
    QM_CHECK(!snapshot.status().message().empty(), "a bad snapshot gets no message");
    return 0;
  }
  qmarket::JsonWriter json;
  qmarket::WriteCleared(qmarket::Clear(*snapshot), json);
  const nlohmann::json result = nlohmann::json::parse(json.Take());
  std::int64_t supply = snapshot->shared;
  std::int64_t filled = 0;
  for (const qmarket::SnapshotPool& pool : snapshot->pools)
    supply += pool.owned;
  for (const nlohmann::json& pool : result["pools"]) {
    for (const nlohmann::json& team : pool["teams"]) {
      filled += team["quota"].get<std::int64_t>();
    }
  }
  QM_CHECK(filled <= supply, "more chips are filled than there are");
  return 0;
}

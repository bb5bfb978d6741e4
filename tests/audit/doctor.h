// A small market in a folder, and ways to change what is in it as someone would who knows the
// formats: with right checksums.
#ifndef QMARKET_TESTS_AUDIT_DOCTOR_H_
#define QMARKET_TESTS_AUDIT_DOCTOR_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "rocksdb/db.h"

#include "events/event.h"
#include "events/event_log.h"
#include "events/outcome.h"
#include "ledger/core/book.h"
#include "replay/audit/report.h"

namespace qmarket {

inline constexpr std::int64_t kDoctorStart = 1'767'225'600'000;

// Two pools and four teams that bid, are preempted, grant, claw back and transfer for fifty
// minutes; events that are late, repeated, wrong, and no events at all.
std::vector<std::string> DoctorRecords();

// The folders of a market.
struct MarketFolder {
  std::string log;
  std::string store;
  std::string checkpoints;
};

MarketFolder FolderIn(const std::string& dir);

// Appends the records to an embedded log, applies them, and writes checkpoints on the way. Adds
// test failures where something goes wrong, here and below.
MarketFolder MakeMarket(const std::string& dir, const std::vector<std::string>& records);

// Audits the folders.
void RunAudit(const MarketFolder& folder, AuditReport& report);

// Which checks found something.
std::set<std::string> FailedChecks(const AuditReport& report);

// All findings, a line each: "store, journal at 12: ...".
std::string FindingsOf(const AuditReport& report);

// Changes a database; its own files stay whole.
void Change(const std::string& dir, const std::function<void(rocksdb::DB&)>& change);

void Put(rocksdb::DB& db, const std::string& key, const std::string& value);
void Remove(rocksdb::DB& db, const std::string& key);
std::string Get(rocksdb::DB& db, const std::string& key);

// What becomes of an entry of a series: another value, or none. It is given the value there is.
using EditEntry =
    std::function<std::optional<std::string>(const std::optional<std::string>& value)>;

// Changes, adds or removes the entry of the series at a position, in the block where it belongs.
void EditSeries(rocksdb::DB& db, const std::string& prefix, std::uint64_t position,
                const EditEntry& edit);

// The outcomes and the postings of an offset, changed.
void EditOutcomes(const MarketFolder& folder, std::uint64_t offset,
                  const std::function<void(std::vector<Outcome>&)>& edit);
void EditPostings(const MarketFolder& folder, std::uint64_t offset,
                  const std::function<void(std::vector<Posting>&)>& edit);

// The first offset after `from` whose outcomes have such a one.
template <typename T>
std::uint64_t OffsetOf(const MarketFolder& folder, std::uint64_t from = 0,
                       const std::function<bool(const T&)>& wanted = {});

// Every offset and its outcomes.
std::vector<std::pair<std::uint64_t, std::vector<Outcome>>> AllOutcomes(const MarketFolder& folder);

template <typename T>
std::uint64_t OffsetOf(const MarketFolder& folder, std::uint64_t from,
                       const std::function<bool(const T&)>& wanted) {
  for (const auto& [offset, outcomes] : AllOutcomes(folder)) {
    if (offset < from) continue;
    for (const Outcome& outcome : outcomes) {
      const T* found = std::get_if<T>(&outcome);
      if (found != nullptr && (!wanted || wanted(*found))) return offset;
    }
  }
  return UINT64_MAX;
}

}  // namespace qmarket

#endif  // QMARKET_TESTS_AUDIT_DOCTOR_H_

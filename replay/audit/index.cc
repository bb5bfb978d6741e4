#include "replay/audit/index.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "events/outcome_codec.h"
#include "ledger/store/commit.h"
#include "matcher/process/outcome_index.h"
#include "replay/audit/store_damage.h"

namespace qmarket {
namespace {

constexpr std::size_t kMostEntries = std::size_t{4} << 20;

// Names have no zero byte.
Fingerprint HashOf(std::uint8_t kind, absl::string_view name, absl::string_view value) {
  const std::string head = absl::StrCat(absl::string_view(reinterpret_cast<const char*>(&kind), 1),
                                        name, absl::string_view("\0", 1));
  const Digest digest = Sha256({head, value});
  Fingerprint hash{};
  std::copy_n(digest.begin(), hash.size(), hash.begin());
  return hash;
}

// Of what kind, in words, and which.
std::string TextOf(std::uint8_t kind, absl::string_view name) {
  switch (static_cast<IndexKind>(kind)) {
    case IndexKind::kResource:
      return absl::StrCat("resource ", name);
    case IndexKind::kBid:
      return absl::StrCat("bid ", name);
    case IndexKind::kQuota: {
      const QuotaName quota = ParseQuotaIndexName(name);
      return absl::StrCat("quota of ", quota.team, " on ", quota.resource);
    }
    case IndexKind::kRejection:
      return "rejections";
  }
  return absl::StrCat("kind ", kind, ", name ", name);
}

}  // namespace

IndexAudit::IndexAudit(const StoreScan& scan, AuditReport& report)
    : scan_(scan), check_(report.Begin("index", "entries")) {}

void IndexAudit::Add(std::uint64_t offset, absl::Span<const Outcome> outcomes) {
  if (expected_.size() >= kMostEntries) Compare(offset - 1);
  for (const IndexEntry& entry : IndexOf(outcomes)) {
    expected_.push_back({offset, HashOf(entry.kind, entry.name, entry.value)});
  }
}

void IndexAudit::Finish() {
  Compare(UINT64_MAX);
}

std::vector<IndexAudit::Entry> IndexAudit::ReadEntries(std::uint64_t to) {
  std::vector<Entry> found;
  StoreCursor cursor = scan_.Read(StoreTable::kIndex);
  for (; cursor.valid(); cursor.Next()) {
    if (cursor.position() < from_ || cursor.position() > to) continue;
    check_.Count();
    const absl::StatusOr<IndexSeries> series = IndexOfSeries(cursor.series());
    if (!series.ok()) {
      check_.Find({.where = AuditPart::kStore,
                   .object = "index",
                   .offset = cursor.position(),
                   .what = std::string(series.status().message())});
      continue;
    }
    found.push_back({cursor.position(), HashOf(series->kind, series->name, cursor.value())});
  }
  ReportDamages(cursor.damages(), check_);
  return found;
}

void IndexAudit::Compare(std::uint64_t to) {
  std::vector<Entry> found = ReadEntries(to);
  std::ranges::sort(found);
  std::ranges::sort(expected_);
  if (found != expected_) {
    std::vector<Entry> different;
    std::ranges::set_symmetric_difference(expected_, found, std::back_inserter(different));
    std::set<std::uint64_t> offsets;
    for (const Entry& entry : different) {
      if (offsets.size() < AuditReport::kMostFindings) offsets.insert(entry.offset);
    }
    Describe(offsets);
  }
  expected_.clear();
  from_ = to == UINT64_MAX ? to : to + 1;
}

void IndexAudit::Describe(const std::set<std::uint64_t>& offsets) {
  using Place = std::tuple<std::uint64_t, std::uint8_t, std::string>;
  std::map<Place, std::string> expected;
  for (StoreCursor cursor = scan_.Read(StoreTable::kOutcomes); cursor.valid(); cursor.Next()) {
    if (!offsets.contains(cursor.position())) continue;
    const absl::StatusOr<std::vector<Outcome>> outcomes = DecodeOutcomes(cursor.value());
    if (!outcomes.ok()) continue;
    for (IndexEntry& entry : IndexOf(*outcomes)) {
      expected.emplace(Place(cursor.position(), entry.kind, std::move(entry.name)),
                       std::move(entry.value));
    }
  }
  const auto find = [&](const Place& place, std::string what) {
    check_.Find({.where = AuditPart::kStore,
                 .object = absl::StrCat("index, ", TextOf(std::get<1>(place), std::get<2>(place))),
                 .offset = std::get<0>(place),
                 .what = std::move(what)});
  };
  for (StoreCursor cursor = scan_.Read(StoreTable::kIndex); cursor.valid(); cursor.Next()) {
    if (!offsets.contains(cursor.position())) continue;
    const absl::StatusOr<IndexSeries> series = IndexOfSeries(cursor.series());
    if (!series.ok()) continue;
    const Place place(cursor.position(), series->kind, std::string(series->name));
    const auto wanted = expected.find(place);
    if (wanted == expected.end()) {
      find(place, "it has an entry there, and no outcome says so");
      continue;
    }
    if (wanted->second != cursor.value()) {
      find(place, "its entry is not what the outcomes of the offset say");
    }
    expected.erase(wanted);
  }
  for (const auto& [place, value] : expected)
    find(place, "it has no entry there, and outcomes of the offset say something of it");
}

}  // namespace qmarket

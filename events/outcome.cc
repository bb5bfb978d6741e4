#include "events/outcome.h"

#include <array>
#include <cstddef>

#include "events/check.h"

namespace qmarket {
namespace {

constexpr std::array<const char*, 16> kRejectionCodeNames = {
    "malformed",         "duplicate",     "id_reused",   "out_of_range",    "time_in_future",
    "unknown_pool",      "unknown_team",  "unknown_bid", "bid_exists",      "bid_ended",
    "min_exceeds_chips", "pool_is_fixed", "same_team",   "different_pools", "insufficient_credits",
    "holds_no_chips",
};

constexpr std::array<const char*, 8> kPostingKindNames = {
    "income", "charge", "grant", "clawback", "transfer", "weight", "chips", "lapse",
};

}  // namespace

const char* RejectionCodeName(RejectionCode code) {
  const auto index = static_cast<std::size_t>(code);
  QM_CHECK(index < kRejectionCodeNames.size(), "no such rejection code");
  return kRejectionCodeNames[index];
}

const char* PostingKindName(PostingKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  QM_CHECK(index < kPostingKindNames.size(), "no such kind of posting");
  return kPostingKindNames[index];
}

bool IsOfSettlement(PostingKind kind) {
  switch (kind) {
    case PostingKind::kIncome:
    case PostingKind::kCharge:
    case PostingKind::kWeight:
    case PostingKind::kChips:
    case PostingKind::kLapse:
      return true;
    case PostingKind::kGrant:
    case PostingKind::kClawback:
    case PostingKind::kTransfer:
      return false;
  }
  QM_CHECK(false, "an unknown kind of posting");
}

}  // namespace qmarket

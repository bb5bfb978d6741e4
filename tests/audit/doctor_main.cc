// audit_doctor STORE: changes a ledger's store by hand, with right checksums: the first grant that
// is recorded is told as one micro-credit more. Prints the offset.
#include <cstdint>
#include <iostream>
#include <string>
#include <variant>
#include <vector>

#include "gtest/gtest.h"

#include "events/outcome.h"
#include "tests/audit/doctor.h"

int main(int argc, char** argv) {
  using namespace qmarket;  // NOLINT(google-build-using-namespace)
  if (argc != 2) return 2;
  const MarketFolder folder = {.log = "", .store = argv[1], .checkpoints = ""};
  const auto is_grant = [](const CreditsPosted& posted) {
    return posted.kind == PostingKind::kGrant;
  };
  const std::uint64_t offset = OffsetOf<CreditsPosted>(folder, 0, is_grant);
  EditOutcomes(folder, offset, [&](std::vector<Outcome>& outcomes) {
    for (Outcome& outcome : outcomes) {
      auto* posted = std::get_if<CreditsPosted>(&outcome);
      if (posted != nullptr && is_grant(*posted)) ++posted->amount_micros;
    }
  });
  std::cout << offset << '\n';
  return 0;
}

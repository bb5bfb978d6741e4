// Confirms what an explanation claims by clearing again. Written apart from the code that makes the
// claims: it shares with it nothing but the market.
#ifndef QMARKET_TESTS_EXPLAIN_CLAIM_CHECK_H_
#define QMARKET_TESTS_EXPLAIN_CLAIM_CHECK_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "matcher/core/input.h"
#include "matcher/core/market.h"
#include "replay/explanation.h"

namespace qmarket {

// Counts of what was confirmed, and what was not. A claim of one value is two clearings: it runs at
// the value, and does not at one less.
struct ClaimTally {
  std::map<std::string, int> confirmed{};  // by lever and answer
  std::vector<std::string> wrong{};        // in words
};

// Clears the market just before `tick` with each change that the explanation states.
void CheckClaims(const Market& before, const Input& tick, const Explanation& explanation,
                 ClaimTally& tally);

// Holds what it says of the bid against the market after the tick.
void CheckFacts(const Market& after, const Explanation& explanation, ClaimTally& tally);

}  // namespace qmarket

#endif  // QMARKET_TESTS_EXPLAIN_CLAIM_CHECK_H_

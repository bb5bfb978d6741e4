// How long how many chips were held and paid for, exactly: chips times milliseconds.
//
//   meter.Fill(bid_filled);                  // what a bid holds changed, in the order of the log
//   auto used = meter.TakeUpTo(settled_ms);  // since the last call
//
// Between two changes of its bids, a team's chips are constant, so the sum is exact: the same one
// that its charges accrue from (mechanism §6, Accrual). Holds what has chips now. Not thread-safe.
#ifndef QMARKET_CONNECTORS_BOOKS_USAGE_METER_H_
#define QMARKET_CONNECTORS_BOOKS_USAGE_METER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "events/int128.h"
#include "events/outcome.h"

namespace qmarket {

struct ChipTime {
  Int128 held_ms = 0;  // chips * ms, paid for or not
  Int128 paid_ms = 0;  // of them, at a price (which may be 0)
};

using TeamResource = std::pair<std::string, std::string>;

class UsageMeter {
 public:
  void Fill(const BidFilled& fill);

  // All that is not 0, by team and resource.
  [[nodiscard]] std::map<TeamResource, ChipTime> TakeUpTo(std::int64_t time_ms);

 private:
  struct Holding {
    std::int64_t chips = 0;
    std::int64_t paid = 0;
    std::int64_t since_ms = 0;
    ChipTime used{};

    void AdvanceTo(std::int64_t time_ms);
  };

  struct BidChips {
    std::int64_t chips = 0;
    std::int64_t paid = 0;
  };

  std::map<std::string, BidChips> bids_;  // that hold chips
  std::map<TeamResource, Holding> holdings_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_USAGE_METER_H_

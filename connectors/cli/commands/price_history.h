// The prices of a stretch of time, record by record: what was in force when it began, then what
// every cycle changed.
//
// Not thread-safe.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_PRICE_HISTORY_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_PRICE_HISTORY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"

#include "connectors/cli/output.h"
#include "connectors/cli/records.h"
#include "events/outcome.h"

namespace qmarket {

class PriceHistory {
 public:
  // The outcomes of `wanted` resources and pools alone; `every` cycle, or changes alone.
  PriceHistory(Output& out, Format format, bool every,
               absl::FunctionRef<bool(const std::string& resource, const std::string& pool)> wanted)
      : printer_(Printer(out, format)), every_(every), wanted_(wanted) {}

  // What the last cycle before the stretch had cleared, by resource. False where nothing can be
  // written any more; so below.
  bool Open(std::uint64_t offset, const MarketCleared& cleared) { return Print(offset, cleared); }

  // What the cycles of the stretch cleared, in order.
  bool Add(std::uint64_t offset, const MarketCleared& cleared);

  // Ends the list.
  void Finish();

 private:
  using Prices = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;

  // All that one cycle cleared.
  struct Cycle {
    std::uint64_t offset = 0;
    std::int64_t time_ms = 0;
    std::map<std::string, MarketCleared> resources;
  };

  static RecordPrinter Printer(Output& out, Format format);

  bool Print(std::uint64_t offset, const MarketCleared& cleared);
  void PrintEnded();

  RecordPrinter printer_;
  bool every_;
  absl::FunctionRef<bool(const std::string& resource, const std::string& pool)> wanted_;
  std::map<std::pair<std::string, std::string>, Prices> last_;  // by resource and pool
  std::optional<Cycle> cycle_;                                  // that Add is in
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_PRICE_HISTORY_H_

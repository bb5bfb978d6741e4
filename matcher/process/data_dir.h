// What lies where in a data folder.
//
//   std::string folder = MarketDir("qmarket-data", "eu");  // "qmarket-data/markets/eu"
//   LedgerStore::Open(StoreDir(folder), ...);
//
// The market "main" lies in the data folder itself, every other in a folder of its own below it.
#ifndef QMARKET_MATCHER_PROCESS_DATA_DIR_H_
#define QMARKET_MATCHER_PROCESS_DATA_DIR_H_

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

#include "events/check.h"

namespace qmarket {

inline constexpr char kMainMarket[] = "main";
inline constexpr std::size_t kMostMarketNameBytes = 128;

// Whether the name of a market is of its form: 1-128 of A-Z a-z 0-9 . _ -, and neither "." nor
// "..".
[[nodiscard]] inline bool IsMarketName(absl::string_view name) {
  const auto is_taken = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kMostMarketNameBytes && name != "." && name != ".." &&
         std::ranges::all_of(name, is_taken);
}

// The folder of a market, for the functions below. The name must be of its form.
[[nodiscard]] inline std::string MarketDir(const std::string& data_dir, const std::string& market) {
  QM_CHECK(IsMarketName(market), "the name of a market is not of its form");
  return market == kMainMarket ? data_dir : data_dir + "/markets/" + market;
}

// The embedded event log.
[[nodiscard]] inline std::string LogDir(const std::string& folder) {
  return folder + "/log";
}

// The ledger's store.
[[nodiscard]] inline std::string StoreDir(const std::string& folder) {
  return folder + "/store";
}

// The checkpoints.
[[nodiscard]] inline std::string CheckpointsDir(const std::string& folder) {
  return folder + "/checkpoints";
}

// The append service of the matcher that runs on it.
[[nodiscard]] inline std::string SocketPath(const std::string& folder) {
  return folder + "/qmarket.sock";
}

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_DATA_DIR_H_

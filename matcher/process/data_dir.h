// What lies where in a data directory.
#ifndef QMARKET_MATCHER_PROCESS_DATA_DIR_H_
#define QMARKET_MATCHER_PROCESS_DATA_DIR_H_

#include <string>

namespace qmarket {

// The embedded event log.
[[nodiscard]] inline std::string LogDir(const std::string& data_dir) {
  return data_dir + "/log";
}

// The ledger's store.
[[nodiscard]] inline std::string StoreDir(const std::string& data_dir) {
  return data_dir + "/store";
}

// The append service of the matcher that runs on it.
[[nodiscard]] inline std::string SocketPath(const std::string& data_dir) {
  return data_dir + "/qmarket.sock";
}

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_DATA_DIR_H_

// The readers of a simulation's files survive any bytes, and what they accept they write and read
// back. The first byte chooses the reader.
#include <cstddef>
#include <cstdint>
#include <string>

#include "connectors/simulate/market_file.h"
#include "connectors/simulate/trace.h"
#include "events/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  switch (data[0]) {
    case 'j': {
      const auto jobs = qmarket::ParseJobs("jobs", text);
      if (!jobs.ok()) break;
      const auto again = qmarket::ParseJobs("jobs", qmarket::JobsCsv(*jobs));
      QM_CHECK(again.ok() && *again == *jobs, "jobs do not read back");
      break;
    }
    case 's': {
      const auto supply = qmarket::ParseSupply("supply", text);
      if (!supply.ok()) break;
      const auto again = qmarket::ParseSupply("supply", qmarket::SupplyCsv(*supply));
      QM_CHECK(again.ok() && *again == *supply, "supply does not read back");
      break;
    }
    case 'p':
      (void)qmarket::ParsePools("pools", text);
      break;
    default:
      (void)qmarket::ParseMarketFile("market", text);
  }
  return 0;
}

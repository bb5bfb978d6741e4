// The same log gives the same bytes, in every build and on any machine: the digest of a generated
// log is written down here. It may only change with the rules, the canonical bytes or the workload.
#include <cstdint>
#include <string>

#include "gtest/gtest.h"

#include "events/event_codec.h"
#include "events/fingerprint.h"
#include "matcher/process/record.h"
#include "matcher/process/replica.h"
#include "tests/workload/workload.h"

namespace qmarket {

namespace {

TEST(WorkloadDigest, IsTheSameInEveryBuild) {
  const WorkloadSize size{.seed = 7,
                          .events = 20'000,
                          .bids = 4'000,
                          .teams = 60,
                          .pools = 6,
                          .resources = 4,
                          .ticks = 300,
                          .mean_bid_minutes = 60};
  Replica replica;
  std::uint64_t offset = 0;
  MakeWorkload(size, [&](const Event& event) {
    const LogRecord record{
        .offset = offset++, .append_time_ms = event.time_ms, .bytes = EncodeEvent(event)};
    replica.Apply(InputOf(record));
  });
  EXPECT_EQ(replica.events(), size.events);
  EXPECT_GT(replica.preempted().size(), 100u);
  EXPECT_EQ(ToHex(replica.digest()),
            "c82a780edc89698cf21ce831d0a747b9e455cd59a1ca2e59c6ecc9484236587f");
}

}  // namespace

}  // namespace qmarket

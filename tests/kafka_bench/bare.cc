// The bare peer of the matcher: consumes a topic of events, and publishes as many records of the
// same bytes as the matcher's outcomes in transactions of 10,000, with no market and no store.
//
//   kafka_bare BROKERS EVENTS OUTCOMES TARGET
//
// OUTCOMES is the topic that the matcher has published to, read before the clock starts; TARGET is
// where this program publishes. Prints the seconds from its first fetch to its last commit.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <librdkafka/rdkafka.h>

#include "tests/kafka_bench/plain_client.h"

namespace qmarket::bench {
namespace {

constexpr std::size_t kTransaction = 10'000;
constexpr int kWaitMs = 60'000;

int Run(const std::string& brokers, const std::string& events, const std::string& outcomes,
        const std::string& target) {
  const std::vector<PlainRecord> records = ReadAll(brokers, outcomes);
  const auto start = std::chrono::steady_clock::now();
  rd_kafka_t* const consumer =
      MakeConsumer(brokers, {{"group.id", "bare"}, {"check.crcs", "true"}});
  rd_kafka_t* const producer = MakeProducer(brokers, {{"transactional.id", "bare"},
                                                      {"linger.ms", "5"},
                                                      {"compression.codec", "lz4"},
                                                      {"max.in.flight", "1"},
                                                      {"queue.buffering.max.messages", "1000000"}});
  CheckError(rd_kafka_init_transactions(producer, kWaitMs), "init");
  const std::int64_t end = EndOf(consumer, events);
  std::size_t sent = 0;
  std::size_t open = 0;
  // As many records go out as their share of the events that have come in.
  const auto publish = [&](std::int64_t consumed) {
    const auto due =
        static_cast<std::size_t>(static_cast<double>(records.size()) *
                                 static_cast<double>(consumed) / static_cast<double>(end));
    for (; sent < due; ++sent) {
      if (open == 0) CheckError(rd_kafka_begin_transaction(producer), "begin");
      Send(producer, target, records[sent]);
      if (++open < kTransaction) continue;
      CheckError(rd_kafka_commit_transaction(producer, kWaitMs), "commit");
      open = 0;
    }
  };
  Consume(consumer, events, 0, [&](const rd_kafka_message_t& message) {
    publish(message.offset + 1);
    return message.offset + 1 < end;
  });
  if (open > 0) CheckError(rd_kafka_commit_transaction(producer, kWaitMs), "commit");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%.3f %zu\n", took.count(), records.size());
  rd_kafka_consumer_close(consumer);
  rd_kafka_destroy(consumer);
  rd_kafka_destroy(producer);
  return 0;
}

}  // namespace
}  // namespace qmarket::bench

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: kafka_bare BROKERS EVENTS OUTCOMES TARGET\n");
    return 2;
  }
  return qmarket::bench::Run(argv[1], argv[2], argv[3], argv[4]);
}

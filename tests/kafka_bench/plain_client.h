// A thin layer over librdkafka for the benchmarks: what a program does that has neither market nor
// store, and knows nothing of qmarket's own client.
#ifndef QMARKET_TESTS_KAFKA_BENCH_PLAIN_CLIENT_H_
#define QMARKET_TESTS_KAFKA_BENCH_PLAIN_CLIENT_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <librdkafka/rdkafka.h>

namespace qmarket::bench {

using Properties = std::initializer_list<std::pair<const char*, const char*>>;

// Ends the program with a message on any error, as all of this does.
rd_kafka_t* MakeConsumer(const std::string& brokers, Properties extra);
rd_kafka_t* MakeProducer(const std::string& brokers, Properties extra);

// Reads the committed records of the topic's partition from `from` on. `take` gets each, and
// returns false to end.
void Consume(rd_kafka_t* consumer, const std::string& topic, std::int64_t from,
             const std::function<bool(const rd_kafka_message_t&)>& take);

// Where the topic ends.
std::int64_t EndOf(rd_kafka_t* client, const std::string& topic);

struct PlainRecord {
  std::string key;
  std::string value;
  std::vector<std::pair<std::string, std::string>> headers;
};

// All committed records of the topic.
std::vector<PlainRecord> ReadAll(const std::string& brokers, const std::string& topic);

void Send(rd_kafka_t* producer, const std::string& topic, const PlainRecord& record,
          void* opaque = nullptr);

void CheckError(rd_kafka_error_t* error, const char* what);

}  // namespace qmarket::bench

#endif  // QMARKET_TESTS_KAFKA_BENCH_PLAIN_CLIENT_H_

// How long it takes from sending an event to having its outcomes: a producer at a steady rate, and
// a reader of committed outcomes, beside a running matcher.
//
//   kafka_latency BROKERS EVENTS OUTCOMES COUNT RATE
//
// Appends so many grants to the team "team", so many a second. Prints their number, and the 50th,
// 99th and 100th percentile in milliseconds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include <librdkafka/rdkafka.h>

#include "events/event.h"
#include "events/event_codec.h"
#include "tests/kafka_bench/plain_client.h"

namespace qmarket::bench {
namespace {

using Clock = std::chrono::steady_clock;

// A grant has its outcome, a posting, at once.
std::vector<PlainRecord> MakeGrants(std::size_t count) {
  std::vector<PlainRecord> records(count);
  for (std::size_t i = 0; i < count; ++i) {
    records[i].value =
        EncodeEvent({.event_id = absl::StrCat("latency-", i),
                     .time_ms = 0,
                     .actor = "bench",
                     .source = "bench",
                     .payload = BudgetGranted{.team = "team", .amount_micros = 1, .memo = ""}});
  }
  return records;
}

// The offset of the event that an outcome names in its header ce_id, "OFFSET-INDEX"; -1 where it is
// not the first of that event.
std::int64_t InputOf(const rd_kafka_message_t& message) {
  rd_kafka_headers_t* headers = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR ||
      rd_kafka_header_get_last(headers, "ce_id", &value, &size) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return -1;
  }
  const std::string id(static_cast<const char*>(value), size);
  return id.ends_with("-0") ? std::strtoll(id.c_str(), nullptr, 10) : -1;
}

struct Sent {
  Clock::time_point at;
  std::int64_t offset = -1;
};

void OnDelivered(rd_kafka_t* /*client*/, const rd_kafka_message_t* message, void* /*opaque*/) {
  static_cast<Sent*>(message->_private)->offset =
      message->err == RD_KAFKA_RESP_ERR_NO_ERROR ? message->offset : -1;
}

int Run(const std::string& brokers, const std::string& events, const std::string& outcomes,
        std::size_t count, double rate) {
  const std::vector<PlainRecord> records = MakeGrants(count);
  std::vector<Sent> sent(records.size());
  std::map<std::int64_t, Clock::time_point> published;  // of the reader, until it has ended
  std::atomic<std::int64_t> last = -1;                  // the last event's offset, once known
  rd_kafka_t* const consumer = MakeConsumer(brokers, {{"group.id", "latency"}});
  const std::int64_t from = EndOf(consumer, outcomes);
  std::thread reader([&] {
    Consume(consumer, outcomes, from, [&](const rd_kafka_message_t& message) {
      const std::int64_t input = InputOf(message);
      if (input >= 0) published.emplace(input, Clock::now());
      return last < 0 || input < last;
    });
  });
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  char text[512];
  for (const auto& [key, value] : Properties{{"bootstrap.servers", brokers.c_str()},
                                             {"enable.idempotence", "true"},
                                             {"linger.ms", "0"}}) {
    rd_kafka_conf_set(conf, key, value, text, sizeof text);
  }
  rd_kafka_conf_set_dr_msg_cb(conf, OnDelivered);
  rd_kafka_t* const producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto due = start + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(static_cast<double>(i) / rate));
    while (Clock::now() < due)
      rd_kafka_poll(producer, 1);
    sent[i].at = Clock::now();
    Send(producer, events, records[i], &sent[i]);
  }
  rd_kafka_flush(producer, 60'000);
  last = std::ranges::max(sent, {}, &Sent::offset).offset;
  reader.join();
  std::vector<double> waits_ms;
  for (const Sent& event : sent) {
    const auto found = published.find(event.offset);
    if (event.offset < 0 || found == published.end()) continue;
    waits_ms.push_back(std::chrono::duration<double, std::milli>(found->second - event.at).count());
  }
  std::ranges::sort(waits_ms);
  if (waits_ms.size() != records.size()) {
    std::fprintf(stderr, "%zu of %zu events have outcomes\n", waits_ms.size(), records.size());
    return 1;
  }
  const auto percentile = [&](double share) {
    return waits_ms[static_cast<std::size_t>(share * static_cast<double>(waits_ms.size() - 1))];
  };
  std::printf("%zu %.1f %.1f %.1f\n", waits_ms.size(), percentile(0.5), percentile(0.99),
              percentile(1));
  rd_kafka_destroy(producer);
  rd_kafka_consumer_close(consumer);
  rd_kafka_destroy(consumer);
  return 0;
}

}  // namespace
}  // namespace qmarket::bench

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: kafka_latency BROKERS EVENTS OUTCOMES COUNT RATE\n");
    return 2;
  }
  return qmarket::bench::Run(argv[1], argv[2], argv[3], std::strtoull(argv[4], nullptr, 10),
                             std::strtod(argv[5], nullptr));
}

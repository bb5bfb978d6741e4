#include "events/kafka/last_record.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include <librdkafka/rdkafka.h>

#include "events/event_log.h"
#include "events/kafka/client.h"
#include "events/kafka/topic_reader.h"

namespace qmarket {
namespace {

constexpr std::uint64_t kFirstLook = 256;
constexpr absl::Duration kForTransaction = absl::Seconds(10);
constexpr std::size_t kRecords = 4096;
constexpr std::size_t kBytes = std::size_t{8} << 20;

// The last record from `from` on, once all below `end` is settled.
absl::StatusOr<std::optional<LogRecord>> LastFrom(TopicReader& reader, const std::string& topic,
                                                  std::uint64_t from, std::uint64_t end,
                                                  const std::atomic<bool>& stop) {
  std::optional<LogRecord> last;
  absl::Time moved = absl::Now();
  while (from < end) {
    if (stop) return absl::CancelledError("reading a topic was given up");
    absl::StatusOr<LogBatch> batch = reader.Read(from, kRecords, kBytes);
    if (!batch.ok()) return batch.status();
    if (batch->next_offset > from) moved = absl::Now();
    if (absl::Now() - moved > kForTransaction) {
      return absl::UnavailableError(
          absl::StrCat("Kafka topic ", topic,
                       " has a transaction of another writer that is open: "
                       "waiting until it ends"));
    }
    if (!batch->records.empty()) last = std::move(batch->records.back());
    from = batch->next_offset;
  }
  return last;
}

// Where the topic ends, with what is not committed.
absl::StatusOr<std::uint64_t> FindWholeEnd(const KafkaConfig& config, const std::string& topic) {
  kafka::ClientEvents events;
  kafka::ClientOptions options;
  options.type = RD_KAFKA_CONSUMER;
  options.fixed = {{"group.id", "qmarket-reader"}, {"isolation.level", "read_uncommitted"}};
  options.events = &events;
  const absl::StatusOr<kafka::Handle> client = kafka::MakeClient(config, options);
  if (!client.ok()) return client.status();
  std::int64_t end = 0;
  const rd_kafka_resp_err_t error = kafka::Retry(config, config.timeout, [&](int timeout_ms) {
    return kafka::FindOffset(client->get(), topic, kafka::kLatest, timeout_ms, end);
  });
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return kafka::StatusOf(error, absl::StrCat("the end of Kafka topic ", topic));
  }
  return static_cast<std::uint64_t>(end);
}

}  // namespace

absl::StatusOr<std::optional<LogRecord>> ReadLastRecord(const KafkaConfig& config,
                                                        const std::string& topic,
                                                        const std::atomic<bool>& stop) {
  const absl::StatusOr<std::unique_ptr<TopicReader>> reader = TopicReader::Open(config, topic);
  if (!reader.ok()) return reader.status();
  const absl::StatusOr<TopicReader::Bounds> bounds = (*reader)->FindBounds();
  if (!bounds.ok()) return bounds.status();
  const absl::StatusOr<std::uint64_t> end = FindWholeEnd(config, topic);
  if (!end.ok()) return end.status();
  // Markers of transactions and what was aborted lie at the end, so it looks further and further
  // back.
  std::uint64_t look = kFirstLook;
  while (true) {
    const std::uint64_t from = std::max(bounds->begin, *end - std::min(*end, look));
    absl::StatusOr<std::optional<LogRecord>> last = LastFrom(**reader, topic, from, *end, stop);
    if (!last.ok() || last->has_value()) return last;
    if (from == bounds->begin) break;
    look *= 8;
  }
  if (bounds->begin == 0) return std::optional<LogRecord>();
  return absl::DataLossError(absl::StrCat("Kafka topic ", topic, " begins at offset ",
                                          bounds->begin, ", and has no record: they were deleted"));
}

}  // namespace qmarket

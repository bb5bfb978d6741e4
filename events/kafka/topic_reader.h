// Reads the committed records of a topic of one partition, from any offset on.
//
//   absl::StatusOr<std::unique_ptr<TopicReader>> reader = TopicReader::Open(config, topic);
//   absl::StatusOr<LogBatch> batch = (*reader)->Read(from, 1024, 1 << 20);
//
// It assigns the partition to itself and belongs to no group. A stale answer that repeats records
// is dropped. After trouble with a broker, every half minute, and where a pause was long enough for
// the topic to be made anew, it reads the last record again: where that is another one now, or is
// gone, the topic is not what it was (DataLoss).
//
// One thread at a time.
#ifndef QMARKET_EVENTS_KAFKA_TOPIC_READER_H_
#define QMARKET_EVENTS_KAFKA_TOPIC_READER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include <librdkafka/rdkafka.h>

#include "events/event_log.h"
#include "events/fingerprint.h"
#include "events/kafka/client.h"
#include "events/kafka/kafka_config.h"

namespace qmarket {

class TopicReader {
 public:
  // Errors: as KafkaLog::Open, but for what to do about a missing topic.
  static absl::StatusOr<std::unique_ptr<TopicReader>> Open(const KafkaConfig& config,
                                                           const std::string& topic);

  TopicReader(const TopicReader&) = delete;
  TopicReader& operator=(const TopicReader&) = delete;
  ~TopicReader();

  // As EventLog::Read. Waits for a moment where it does not know yet whether there is a record.
  absl::StatusOr<LogBatch> Read(std::uint64_t from, std::size_t max_records, std::size_t max_bytes);

  // As EventLog::WaitFor.
  absl::StatusOr<bool> WaitFor(std::uint64_t from, absl::Duration timeout);

  // The first offset that is kept, and the one behind the last that is settled: committed, aborted,
  // or in no transaction.
  // From then on the end is expected.
  struct Bounds {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  absl::StatusOr<Bounds> FindBounds();

  // There are records below `end`: a Read waits for them for a moment before it says that there is
  // nothing more. From any thread.
  void Expect(std::uint64_t end);

  // As EventLog::FindByTime.
  absl::StatusOr<std::uint64_t> FindByTime(std::int64_t append_time_ms);

  [[nodiscard]] const std::string& cluster() const { return cluster_; }

 private:
  TopicReader(KafkaConfig config, std::string topic, std::unique_ptr<kafka::ClientEvents> events,
              kafka::Handle client, std::string cluster);

  // Makes `from` the place where it reads on.
  absl::Status Seek(std::uint64_t from);
  // Has the client fetch again: from the record that was given out last, which must be the same
  // still, or from position_ where there is none.
  absl::Status Restart();
  // Takes what has arrived, waiting for the first for so long.
  absl::Status Fetch(absl::Duration timeout);
  absl::Status Take(kafka::Message message);
  absl::Status TakeRecord(kafka::Message message);
  // Whether another record may be where the first one was. It asks which is the first that is
  // younger than that: in a topic that was made anew all are. Where it cannot say, it may be.
  bool MayBeMadeAnew();
  std::optional<std::int64_t> FindYounger();
  absl::Status TakeEnd(std::uint64_t end);
  absl::Status TakeError(rd_kafka_resp_err_t error);
  // Whether the topic has the place from which to fetch. False where that is not known.
  absl::StatusOr<bool> HasPlace();
  // What is lost of the topic.
  [[nodiscard]] absl::Status Lost(const std::string& what) const;
  void NoteAnswer();
  // Unavailable where no broker has answered for too long.
  [[nodiscard]] absl::Status CheckPatience() const;

  KafkaConfig config_;
  std::string topic_;
  std::unique_ptr<kafka::ClientEvents> events_;
  kafka::Handle client_;
  kafka::Queue queue_;
  std::string cluster_;

  std::uint64_t position_ = 0;               // all below was given out
  std::deque<kafka::Message> ready_;         // fetched, not given out yet; in order
  std::uint64_t wire_offset_ = 0;            // of the record that the client gives next, at least
  std::optional<std::uint64_t> end_;         // there was nothing from there on, at the last look
  std::atomic<std::uint64_t> expected_ = 0;  // there is something below
  bool assigned_ = false;                    // the partition, to the client
  bool fetching_ = false;                    // what the client gives can be trusted to go on
  std::uint64_t troubles_ = 0;               // of events_, when fetching began
  std::optional<std::pair<std::uint64_t, Digest>> last_;  // given out last: its offset and hash
  std::optional<std::pair<std::uint64_t, std::int64_t>> first_;  // of all taken: offset and time
  absl::Time taken_;                                             // the last record was, then
  kafka::Handle looker_;       // asks while the client waits for records
  bool looker_tried_ = false;  // once, so that its next answer is quick
  bool comparing_ = false;     // the next record must be last_
  absl::Time restarted_;
  absl::Time answered_;
  std::optional<absl::Time> missing_since_;  // the brokers say that there is no such topic
  std::optional<absl::Time> beyond_since_;   // ... that it ends before what was there
  bool doomed_ = false;  // the client holds an error that it could not be destroyed with
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_KAFKA_TOPIC_READER_H_

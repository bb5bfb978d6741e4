#include "events/kafka/topic_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

#include "events/big_endian.h"
#include "events/kafka/broker_contact.h"

namespace qmarket {
namespace {

constexpr std::size_t kBatch = 4096;
// A reader that does not know whether there is more waits so long for the answer.
constexpr absl::Duration kForAnswer = absl::Seconds(1);
constexpr absl::Duration kCompareAgain = absl::Seconds(30);
constexpr absl::Duration kPause = absl::Milliseconds(100);
// A broker that has just started may not know of a topic yet.
constexpr absl::Duration kForTopic = absl::Seconds(30);
constexpr absl::Duration kForEnd = absl::Seconds(3);
constexpr absl::Duration kForBounds = absl::Seconds(30);
// Nobody deletes a topic, makes it anew and appends to it in less.
constexpr absl::Duration kLongPause = absl::Milliseconds(50);
constexpr absl::Duration kForLook = absl::Seconds(1);

absl::string_view Payload(const rd_kafka_message_t& message) {
  return message.payload == nullptr
             ? absl::string_view()
             : absl::string_view(static_cast<const char*>(message.payload), message.len);
}

std::int64_t TimeMs(const rd_kafka_message_t& message) {
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  const std::int64_t time_ms = rd_kafka_message_timestamp(&message, &type);
  return type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE ? 0 : time_ms;
}

Digest HashOf(absl::string_view bytes, std::int64_t time_ms) {
  const BigEndian time = ToBigEndian(static_cast<std::uint64_t>(time_ms));
  return Sha256({absl::string_view(time.data(), time.size()), bytes});
}

}  // namespace

TopicReader::TopicReader(KafkaConfig config, std::string topic,
                         std::unique_ptr<kafka::ClientEvents> events, kafka::Handle client,
                         std::string cluster)
    : config_(std::move(config)),
      topic_(std::move(topic)),
      events_(std::move(events)),
      client_(std::move(client)),
      queue_(rd_kafka_queue_get_consumer(client_.get())),
      cluster_(std::move(cluster)),
      answered_(absl::Now()) {}

TopicReader::~TopicReader() {
  ready_.clear();
  if (doomed_) {
    // librdkafka 2.0.2 can wait for itself for ever when it destroys a client that has been told
    // that an offset is gone. The process is about to end: it is left alone, and what it uses too.
    static_cast<void>(queue_.release());
    static_cast<void>(client_.release());
    static_cast<void>(events_.release());
    return;
  }
  rd_kafka_consumer_close(client_.get());
}

absl::StatusOr<std::unique_ptr<TopicReader>> TopicReader::Open(const KafkaConfig& config,
                                                               const std::string& topic) {
  kafka::ClientOptions options;
  options.type = RD_KAFKA_CONSUMER;
  options.fixed = {{"group.id", "qmarket-reader"},  // librdkafka wants one; it is not joined
                   {"enable.auto.commit", "false"},
                   {"enable.auto.offset.store", "false"},
                   {"auto.offset.reset", "error"},
                   {"enable.partition.eof", "true"},
                   {"isolation.level", "read_committed"},
                   {"check.crcs", "true"},
                   // An answer that there is nothing more comes after so long, and so does the
                   // first one after a jump.
                   {"fetch.wait.max.ms", "50"},
                   {"fetch.error.backoff.ms", "100"},
                   {"queued.max.messages.kbytes", "65536"}};
  auto events = std::make_unique<kafka::ClientEvents>();
  options.events = events.get();
  absl::StatusOr<kafka::Handle> client = kafka::MakeClient(config, options);
  if (!client.ok()) return client.status();
  absl::StatusOr<std::string> cluster = kafka::Connect(client->get(), config);
  if (!cluster.ok()) return cluster.status();
  const absl::StatusOr<int> partitions = kafka::CountPartitions(client->get(), config, topic);
  if (!partitions.ok()) return partitions.status();
  if (*partitions == 0) {
    return absl::NotFoundError(
        absl::StrCat("there is no Kafka topic ", topic, " at ", config.brokers));
  }
  if (*partitions != 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("Kafka topic ", topic, " has ", *partitions,
                     " partitions, expected one: the order of its records is the truth"));
  }
  rd_kafka_poll_set_consumer(client->get());
  return std::unique_ptr<TopicReader>(
      new TopicReader(config, topic, std::move(events), *std::move(client), *std::move(cluster)));
}

absl::Status TopicReader::Lost(const std::string& what) const {
  return absl::DataLossError(absl::StrCat("Kafka topic ", topic_, ": ", what));
}

absl::Status TopicReader::Seek(std::uint64_t from) {
  if (from != position_) {
    position_ = from;
    last_.reset();
    return Restart();
  }
  // What is ready was fetched before any trouble.
  if (!ready_.empty()) return absl::OkStatus();
  const bool trust = fetching_ && troubles_ == events_->troubles;
  const bool due = last_.has_value() && !comparing_ && absl::Now() - restarted_ > kCompareAgain;
  return trust && !due ? absl::OkStatus() : Restart();
}

absl::Status TopicReader::Restart() {
  ready_.clear();
  end_.reset();
  fetching_ = false;
  const absl::StatusOr<bool> has_place = HasPlace();
  if (!has_place.ok()) return has_place.status();
  if (!*has_place) {
    absl::SleepFor(kPause);
    return absl::OkStatus();
  }
  if (!comparing_) restarted_ = absl::Now();
  comparing_ = last_.has_value();
  wire_offset_ = comparing_ ? last_->first : position_;
  troubles_ = events_->troubles;
  const kafka::Partitions partitions(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(partitions.get(), topic_.c_str(), 0)->offset =
      static_cast<std::int64_t>(wire_offset_);
  if (!assigned_) {
    const rd_kafka_resp_err_t error = rd_kafka_assign(client_.get(), partitions.get());
    assigned_ = fetching_ = error == RD_KAFKA_RESP_ERR_NO_ERROR;
    return kafka::StatusOf(error, absl::StrCat("Kafka topic ", topic_));
  }
  const kafka::Error error(
      rd_kafka_seek_partitions(client_.get(), partitions.get(), kafka::ToMs(kForAnswer)));
  fetching_ = error == nullptr && partitions->elems[0].err == RD_KAFKA_RESP_ERR_NO_ERROR;
  if (fetching_) return absl::OkStatus();
  // The next attempt begins anew.
  assigned_ = false;
  return kafka::StatusOf(rd_kafka_assign(client_.get(), nullptr),
                         absl::StrCat("Kafka topic ", topic_));
}

void TopicReader::NoteAnswer() {
  answered_ = absl::Now();
  missing_since_.reset();
  if (config_.contact != nullptr) config_.contact->Answered();
}

absl::Status TopicReader::CheckPatience() const {
  // A broker that has nothing to say is not away.
  if (fetching_ && end_.has_value() && troubles_ == events_->troubles) return absl::OkStatus();
  if (absl::Now() - answered_ < config_.patience) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("no Kafka broker at ", config_.brokers,
                                             " has answered for ",
                                             absl::FormatDuration(config_.patience)));
}

absl::Status TopicReader::Fetch(absl::Duration timeout) {
  // One with a wait, then all that is there without: a batch would wait until it is full.
  kafka::Message first(rd_kafka_consumer_poll(client_.get(), kafka::ToMs(timeout)));
  if (first == nullptr) return CheckPatience();
  absl::Status status = Take(std::move(first));
  std::array<rd_kafka_message_t*, kBatch> more = {};
  const ssize_t count = rd_kafka_consume_batch_queue(queue_.get(), 0, more.data(), more.size());
  for (ssize_t i = 0; i < count; ++i) {
    kafka::Message message(more[static_cast<std::size_t>(i)]);
    if (status.ok()) status = Take(std::move(message));
  }
  return status;
}

absl::Status TopicReader::Take(kafka::Message message) {
  if (!fetching_) return absl::OkStatus();
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return TakeRecord(std::move(message));
  if (message->err != RD_KAFKA_RESP_ERR__PARTITION_EOF) return TakeError(message->err);
  return TakeEnd(static_cast<std::uint64_t>(message->offset));
}

absl::Status TopicReader::TakeRecord(kafka::Message message) {
  NoteAnswer();
  const auto offset = static_cast<std::uint64_t>(message->offset);
  if (offset < wire_offset_) return absl::OkStatus();  // of a stale answer
  const bool after_pause = absl::Now() - taken_ > kLongPause;
  if (!comparing_ && after_pause && MayBeMadeAnew()) {
    fetching_ = false;  // the last record is compared before this one is taken
    return absl::OkStatus();
  }
  taken_ = absl::Now();
  if (!first_.has_value() || offset < first_->first) first_ = {offset, TimeMs(*message)};
  wire_offset_ = offset + 1;
  if (!comparing_) {
    end_.reset();
    ready_.push_back(std::move(message));
    return absl::OkStatus();
  }
  if (offset != last_->first || HashOf(Payload(*message), TimeMs(*message)) != last_->second) {
    return Lost(absl::StrCat("the record at offset ", last_->first,
                             " is not the one that was read there before: the topic was made "
                             "anew, or has lost records"));
  }
  comparing_ = false;
  wire_offset_ = std::max(wire_offset_, position_);
  return absl::OkStatus();
}

// The offset of the first record that is younger than the topic's first; none where it cannot be
// had at once.
std::optional<std::int64_t> TopicReader::FindYounger() {
  if (looker_ == nullptr) {
    absl::StatusOr<kafka::Handle> looker =
        kafka::MakeClient(config_, {.type = RD_KAFKA_CONSUMER, .fixed = {}});
    if (!looker.ok()) return std::nullopt;
    looker_ = *std::move(looker);
  }
  std::int64_t offset = -1;
  const rd_kafka_resp_err_t error =
      kafka::FindOffset(looker_.get(), topic_, first_->second + 1, kafka::ToMs(kForLook), offset);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return offset;
  looker_.reset();  // a client that reads nothing does not hear of new leaders
  return std::nullopt;
}

bool TopicReader::MayBeMadeAnew() {
  if (!first_.has_value() || !last_.has_value()) return false;
  const std::optional<std::int64_t> younger = FindYounger();
  return !younger.has_value() ||
         (*younger >= 0 && static_cast<std::uint64_t>(*younger) <= first_->first);
}

absl::Status TopicReader::TakeEnd(std::uint64_t end) {
  NoteAnswer();
  if (comparing_) {
    // A new leader may for a moment not give what its predecessor gave.
    if (absl::Now() - restarted_ < kForTopic) return absl::OkStatus();
    return Lost(
        absl::StrCat("the record at offset ", last_->first, " was read before, and is gone"));
  }
  if (end < wire_offset_) return absl::OkStatus();
  wire_offset_ = end;
  end_ = end;
  return absl::OkStatus();
}

absl::Status TopicReader::TakeError(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
      fetching_ = false;  // HasPlace finds out what is gone
      doomed_ = true;
      return absl::OkStatus();
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      fetching_ = false;
      if (!missing_since_.has_value()) missing_since_ = absl::Now();
      if (absl::Now() - *missing_since_ > kForTopic) {
        return Lost("the topic is gone: it was deleted");
      }
      absl::SleepFor(kPause);
      return absl::OkStatus();
    default:
      if (!kafka::IsForTheMoment(error)) {
        return kafka::StatusOf(
            error, absl::StrCat("Kafka topic ", topic_, ", reading from offset ", wire_offset_));
      }
      fetching_ = false;
      return CheckPatience();
  }
}

absl::StatusOr<bool> TopicReader::HasPlace() {
  std::int64_t first = 0;
  std::int64_t last = 0;
  const int timeout_ms = kafka::ToMs(kForAnswer);
  rd_kafka_resp_err_t error =
      kafka::FindOffset(client_.get(), topic_, kafka::kEarliest, timeout_ms, first);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
    error = kafka::FindOffset(client_.get(), topic_, kafka::kLatest, timeout_ms, last);
  }
  if (kafka::IsForTheMoment(error)) return false;
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    absl::Status status = TakeError(error);
    if (!status.ok()) return status;
    return false;
  }
  const auto begin = static_cast<std::uint64_t>(first);
  const auto end = static_cast<std::uint64_t>(last);
  const std::uint64_t wanted = last_.has_value() ? last_->first : position_;
  if (wanted < begin) {
    return Lost(absl::StrCat("it begins at offset ", begin, ", and offset ", wanted,
                             " is wanted: older records were deleted, by its retention or by hand. "
                             "A market needs them all; see `qmarket topics check`"));
  }
  if (wanted <= end) {
    beyond_since_.reset();
    return true;
  }
  if (!beyond_since_.has_value()) beyond_since_ = absl::Now();
  // A new leader may for a moment not know its end.
  if (absl::Now() - *beyond_since_ < kForEnd) return false;
  return Lost(absl::StrCat("it ends at offset ", end, ", and offset ", wanted,
                           " was there before: the topic was made anew, or has lost records"));
}

absl::StatusOr<LogBatch> TopicReader::Read(std::uint64_t from, std::size_t max_records,
                                           std::size_t max_bytes) {
  const absl::Time deadline = absl::Now() + kForAnswer;
  if (absl::Status status = Seek(from); !status.ok()) return status;
  // What has just arrived counts; where it is not known whether there is more, that is waited for.
  absl::Duration wait = absl::ZeroDuration();
  do {
    if (!ready_.empty()) break;
    if (absl::Status status = Fetch(wait); !status.ok()) return status;
    if (absl::Status status = Seek(from); !status.ok()) return status;
    wait = deadline - absl::Now();
  } while (wait > absl::ZeroDuration() && (!end_.has_value() || *end_ < expected_));
  LogBatch batch;
  std::size_t bytes = 0;
  while (!ready_.empty() && batch.records.size() < max_records && bytes < max_bytes) {
    const rd_kafka_message_t& message = *ready_.front();
    batch.records.push_back({.offset = static_cast<std::uint64_t>(message.offset),
                             .append_time_ms = TimeMs(message),
                             .bytes = std::string(Payload(message))});
    bytes += batch.records.back().bytes.size();
    ready_.pop_front();
  }
  if (!batch.records.empty()) {
    const LogRecord& last = batch.records.back();
    last_ = {last.offset, HashOf(last.bytes, last.append_time_ms)};
    position_ = last.offset + 1;
  }
  if (ready_.empty() && end_.has_value()) {
    position_ = std::max(position_, *end_);
    batch.at_end = true;
  }
  batch.next_offset = position_;
  batch.more = !ready_.empty();
  return batch;
}

absl::StatusOr<bool> TopicReader::WaitFor(std::uint64_t from, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  // A new client's first answer takes long: it is had while there is nothing to do.
  if (first_.has_value() && !std::exchange(looker_tried_, true)) FindYounger();
  while (true) {
    if (absl::Status status = Seek(from); !status.ok()) return status;
    if (!ready_.empty()) return true;
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    if (absl::Status status = Fetch(std::min(left, kForAnswer)); !status.ok()) return status;
  }
}

void TopicReader::Expect(std::uint64_t end) {
  std::uint64_t before = expected_;
  while (before < end && !expected_.compare_exchange_weak(before, end)) {
  }
}

absl::StatusOr<TopicReader::Bounds> TopicReader::FindBounds() {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  const rd_kafka_resp_err_t error =
      kafka::Retry(config_, std::min(config_.patience, kForBounds), [&](int timeout_ms) {
        const rd_kafka_resp_err_t asked =
            kafka::FindOffset(client_.get(), topic_, kafka::kEarliest, timeout_ms, begin);
        if (asked != RD_KAFKA_RESP_ERR_NO_ERROR) return asked;
        return kafka::FindOffset(client_.get(), topic_, kafka::kLatest, timeout_ms, end);
      });
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return kafka::StatusOf(error, absl::StrCat("the ends of Kafka topic ", topic_));
  }
  Expect(static_cast<std::uint64_t>(end));
  return Bounds{.begin = static_cast<std::uint64_t>(begin), .end = static_cast<std::uint64_t>(end)};
}

absl::StatusOr<std::uint64_t> TopicReader::FindByTime(std::int64_t append_time_ms) {
  std::int64_t offset = -1;
  const rd_kafka_resp_err_t error =
      kafka::Retry(config_, std::min(config_.patience, kForBounds), [&](int timeout_ms) {
        return kafka::FindOffset(client_.get(), topic_, std::max(append_time_ms, std::int64_t{0}),
                                 timeout_ms, offset);
      });
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return kafka::StatusOf(error, absl::StrCat("times of Kafka topic ", topic_));
  }
  if (offset >= 0) return static_cast<std::uint64_t>(offset);
  const absl::StatusOr<Bounds> bounds = FindBounds();
  if (!bounds.ok()) return bounds.status();
  return bounds->end;
}

}  // namespace qmarket

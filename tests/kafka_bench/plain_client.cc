#include "tests/kafka_bench/plain_client.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace qmarket::bench {
namespace {

constexpr int kPollMs = 1000;
constexpr std::size_t kBatch = 4096;

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

rd_kafka_t* Make(rd_kafka_type_t type, const std::string& brokers, Properties properties) {
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  std::array<char, 512> text = {};
  rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), text.data(), text.size());
  for (const auto& [key, value] : properties) {
    if (rd_kafka_conf_set(conf, key, value, text.data(), text.size()) != RD_KAFKA_CONF_OK) {
      Fail(text.data());
    }
  }
  rd_kafka_t* const client = rd_kafka_new(type, conf, text.data(), text.size());
  if (client == nullptr) Fail(text.data());
  return client;
}

void* Pointer(const std::string& bytes) {
  return const_cast<char*>(bytes.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

}  // namespace

void CheckError(rd_kafka_error_t* error, const char* what) {
  if (error == nullptr) return;
  Fail(std::string(what) + ": " + rd_kafka_error_string(error));
}

rd_kafka_t* MakeConsumer(const std::string& brokers, Properties extra) {
  rd_kafka_t* const consumer = Make(RD_KAFKA_CONSUMER, brokers, extra);
  rd_kafka_poll_set_consumer(consumer);
  return consumer;
}

rd_kafka_t* MakeProducer(const std::string& brokers, Properties extra) {
  return Make(RD_KAFKA_PRODUCER, brokers, extra);
}

void Consume(rd_kafka_t* consumer, const std::string& topic, std::int64_t from,
             const std::function<bool(const rd_kafka_message_t&)>& take) {
  rd_kafka_topic_partition_list_t* const partitions = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(partitions, topic.c_str(), 0)->offset = from;
  rd_kafka_assign(consumer, partitions);
  rd_kafka_topic_partition_list_destroy(partitions);
  rd_kafka_queue_t* const queue = rd_kafka_queue_get_consumer(consumer);
  std::vector<rd_kafka_message_t*> batch(kBatch);
  bool more = true;
  while (more) {
    rd_kafka_message_t* const first = rd_kafka_consumer_poll(consumer, kPollMs);
    if (first == nullptr) continue;
    batch[0] = first;
    const ssize_t rest = rd_kafka_consume_batch_queue(queue, 0, batch.data() + 1, kBatch - 1);
    for (std::size_t i = 0; i <= static_cast<std::size_t>(rest); ++i) {
      if (batch[i]->err == RD_KAFKA_RESP_ERR_NO_ERROR && more) more = take(*batch[i]);
      rd_kafka_message_destroy(batch[i]);
    }
  }
  rd_kafka_queue_destroy(queue);
}

std::int64_t EndOf(rd_kafka_t* client, const std::string& topic) {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  const rd_kafka_resp_err_t error =
      rd_kafka_query_watermark_offsets(client, topic.c_str(), 0, &begin, &end, 10'000);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) Fail(topic + ": " + rd_kafka_err2str(error));
  return end;
}

std::vector<PlainRecord> ReadAll(const std::string& brokers, const std::string& topic) {
  rd_kafka_t* const consumer =
      MakeConsumer(brokers, {{"group.id", "bench"}, {"enable.partition.eof", "true"}});
  std::vector<PlainRecord> records;
  // The last transaction's marker is the last of the topic.
  const std::int64_t end = EndOf(consumer, topic);
  Consume(consumer, topic, 0, [&](const rd_kafka_message_t& message) {
    PlainRecord record;
    record.key.assign(static_cast<const char*>(message.key), message.key_len);
    record.value.assign(static_cast<const char*>(message.payload), message.len);
    rd_kafka_headers_t* headers = nullptr;
    if (rd_kafka_message_headers(&message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
      const char* name = nullptr;
      const void* value = nullptr;
      std::size_t size = 0;
      for (std::size_t i = 0;
           rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
           ++i) {
        record.headers.emplace_back(name, std::string(static_cast<const char*>(value), size));
      }
    }
    records.push_back(std::move(record));
    return message.offset < end - 2;
  });
  rd_kafka_consumer_close(consumer);
  rd_kafka_destroy(consumer);
  return records;
}

void Send(rd_kafka_t* producer, const std::string& topic, const PlainRecord& record, void* opaque) {
  rd_kafka_headers_t* const headers = rd_kafka_headers_new(record.headers.size());
  for (const auto& [name, value] : record.headers) {
    rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()), value.data(),
                        static_cast<ssize_t>(value.size()));
  }
  std::array<rd_kafka_vu_t, 7> parts = {};
  parts[0].vtype = RD_KAFKA_VTYPE_TOPIC;
  parts[0].u.cstr = topic.c_str();
  parts[1].vtype = RD_KAFKA_VTYPE_PARTITION;
  parts[1].u.i32 = 0;
  parts[2].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  parts[2].u.i = RD_KAFKA_MSG_F_COPY;
  parts[3].vtype = RD_KAFKA_VTYPE_KEY;
  parts[3].u.mem = {.ptr = Pointer(record.key), .size = record.key.size()};
  parts[4].vtype = RD_KAFKA_VTYPE_VALUE;
  parts[4].u.mem = {.ptr = Pointer(record.value), .size = record.value.size()};
  parts[5].vtype = RD_KAFKA_VTYPE_OPAQUE;
  parts[5].u.ptr = opaque;
  parts[6].vtype = RD_KAFKA_VTYPE_HEADERS;
  parts[6].u.headers = headers;
  while (true) {
    rd_kafka_error_t* const error = rd_kafka_produceva(producer, parts.data(), parts.size());
    if (error == nullptr) return;
    if (rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR__QUEUE_FULL) CheckError(error, "producing");
    rd_kafka_error_destroy(error);
    rd_kafka_poll(producer, 1);
  }
}

}  // namespace qmarket::bench

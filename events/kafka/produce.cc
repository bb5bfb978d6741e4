#include "events/kafka/produce.h"

#include <array>
#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/check.h"
#include "events/kafka/client.h"
#include "events/kafka/record_headers.h"

namespace qmarket::kafka {
namespace {

constexpr int kFullPauseMs = 10;

// librdkafka takes views that are not const, and copies them.
void* Pointer(absl::string_view bytes) {
  return const_cast<char*>(bytes.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

rd_kafka_headers_t* MakeHeaders(absl::Span<const RecordHeader> headers) {
  rd_kafka_headers_t* const made = rd_kafka_headers_new(headers.size());
  for (const RecordHeader& header : headers) {
    const rd_kafka_resp_err_t added = rd_kafka_header_add(
        made, header.name, -1, header.value.data(), static_cast<ssize_t>(header.value.size()));
    QM_CHECK(added == RD_KAFKA_RESP_ERR_NO_ERROR, "a header cannot be added");
  }
  return made;
}

}  // namespace

rd_kafka_resp_err_t Produce(rd_kafka_t* producer, const std::string& topic, absl::string_view key,
                            absl::string_view value, absl::Span<const RecordHeader> headers,
                            void* opaque) {
  std::array<rd_kafka_vu_t, 7> parts = {};
  std::size_t count = 0;
  parts[count].vtype = RD_KAFKA_VTYPE_TOPIC;
  parts[count++].u.cstr = topic.c_str();
  parts[count].vtype = RD_KAFKA_VTYPE_PARTITION;
  parts[count++].u.i32 = 0;
  parts[count].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  parts[count++].u.i = RD_KAFKA_MSG_F_COPY;
  parts[count].vtype = RD_KAFKA_VTYPE_VALUE;
  parts[count].u.mem.ptr = Pointer(value);
  parts[count++].u.mem.size = value.size();
  if (!key.empty()) {
    parts[count].vtype = RD_KAFKA_VTYPE_KEY;
    parts[count].u.mem.ptr = Pointer(key);
    parts[count++].u.mem.size = key.size();
  }
  parts[count].vtype = RD_KAFKA_VTYPE_OPAQUE;
  parts[count++].u.ptr = opaque;
  rd_kafka_headers_t* const made = MakeHeaders(headers);
  parts[count].vtype = RD_KAFKA_VTYPE_HEADERS;
  parts[count++].u.headers = made;
  while (true) {
    const Error error(rd_kafka_produceva(producer, parts.data(), count));
    if (error == nullptr) return RD_KAFKA_RESP_ERR_NO_ERROR;  // the headers are the producer's now
    const rd_kafka_resp_err_t code = rd_kafka_error_code(error.get());
    if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
      rd_kafka_headers_destroy(made);
      return code;
    }
    rd_kafka_poll(producer, kFullPauseMs);
  }
}

}  // namespace qmarket::kafka

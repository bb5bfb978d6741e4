#include "connectors/cli/commands/open_log.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"

#include "connectors/cli/exit_status.h"
#include "events/embedded_log.h"
#include "events/kafka/broker_contact.h"
#include "matcher/process/data_dir.h"

namespace qmarket {
namespace {

// The options that lead to the same market again.
std::string MarketWords(const LogOptions& options, const std::string& data_dir) {
  std::string words;
  if (options.kafka()) {
    absl::StrAppend(&words, " --log kafka --brokers ", options.brokers);
    if (!options.topic_prefix.empty()) {
      absl::StrAppend(&words, " --topic-prefix ", options.topic_prefix);
    }
    if (!options.kafka_config.empty()) {
      absl::StrAppend(&words, " --kafka-config ", options.kafka_config);
    }
  }
  absl::StrAppend(&words, " --data ", data_dir);
  if (options.market != kMainMarket) absl::StrAppend(&words, " --market ", options.market);
  return words;
}

// The markets that the folder does have, as a hint; empty where there are none.
std::string OtherMarkets(const LogOptions& options, const std::string& data_dir) {
  std::vector<std::string> names;
  std::error_code error;
  if (std::filesystem::exists(StoreDir(data_dir), error)) names.emplace_back(kMainMarket);
  for (std::filesystem::directory_iterator folder(data_dir + "/markets", error), end;
       !error && folder != end; folder.increment(error)) {
    names.push_back(folder->path().filename().string());
  }
  std::erase(names, options.market);
  if (names.empty()) return "";
  std::ranges::sort(names);
  return absl::StrCat(" The folder has the markets ", absl::StrJoin(names, ", "),
                      ": say which with --market.");
}

absl::Status NoMarketError(const LogOptions& options, const std::string& data_dir) {
  const std::string words = MarketWords(options, data_dir);
  const std::string folder = MarketDir(data_dir, options.market);
  const std::string others = OtherMarkets(options, data_dir);
  if (options.kafka()) {
    return absl::NotFoundError(
        absl::StrCat(folder, ": no ledger here yet.", others,
                     " Make it from the log with `qmarket run --once --observe", words, "`"));
  }
  const bool is_main = options.market == kMainMarket;
  return absl::NotFoundError(absl::StrCat(
      folder, ": no market here yet.", others,
      is_main ? absl::StrCat(" Make one with `qmarket demo --data ", data_dir, "`, or append")
              : " Append",
      " events and apply them with `qmarket run --once", words, "`"));
}

}  // namespace

absl::StatusOr<KafkaConfig> KafkaConfigOf(const LogOptions& options) {
  const absl::StatusOr<std::uint64_t> seconds = TimeoutSeconds(options);
  if (!seconds.ok()) return seconds.status();
  KafkaConfig config;
  config.brokers = options.brokers;
  config.timeout = absl::Seconds(static_cast<std::int64_t>(*seconds));
  config.patience = options.follows ? absl::InfiniteDuration() : config.timeout;
  config.contact = std::make_shared<BrokerContact>(
      [](const std::string& line) { std::cerr << absl::StrCat("qmarket: ", line, "\n"); });
  if (options.kafka_config.empty()) return config;
  absl::StatusOr<std::vector<KafkaProperty>> properties = ReadKafkaProperties(options.kafka_config);
  if (!properties.ok()) return properties.status();
  config.properties = *std::move(properties);
  return config;
}

absl::StatusOr<MarketTopics> MarketTopicsOf(const LogOptions& options) {
  const absl::StatusOr<MarketTopics> topics =
      TopicsOfMarket(TopicPrefixOf(options), options.market);
  return topics.ok() ? topics : UsageError(topics.status().message());
}

absl::StatusOr<std::unique_ptr<KafkaLog>> OpenKafkaLog(const LogOptions& options) {
  const absl::StatusOr<KafkaConfig> config = KafkaConfigOf(options);
  if (!config.ok()) return config.status();
  const absl::StatusOr<MarketTopics> topics = MarketTopicsOf(options);
  if (!topics.ok()) return topics.status();
  return KafkaLog::Open(*config, *topics);
}

absl::StatusOr<std::unique_ptr<EventLog>> OpenLogForReading(const LogOptions& options,
                                                            const std::string& data_dir) {
  if (options.kafka()) return OpenKafkaLog(options);
  absl::StatusOr<std::unique_ptr<EmbeddedLog>> log =
      EmbeddedLog::Open(LogDir(MarketDir(data_dir, options.market)), EmbeddedLog::Mode::kReadOnly);
  if (absl::IsNotFound(log.status())) {
    const absl::Status elsewhere = CheckLogIsHere(options, data_dir);
    return elsewhere.ok() ? NoMarketError(options, data_dir) : elsewhere;
  }
  if (absl::IsDataLoss(log.status())) {
    return absl::DataLossError(absl::StrCat(
        log.status().message(),
        "; `qmarket audit verify` says what is damaged. Of the log there is only a copy"));
  }
  if (!log.ok()) return log.status();
  return *std::move(log);
}

absl::StatusOr<std::unique_ptr<LedgerStore>> OpenStoreForReading(const LogOptions& options,
                                                                 const std::string& data_dir) {
  absl::StatusOr<std::unique_ptr<LedgerStore>> store = LedgerStore::Open(
      StoreDir(MarketDir(data_dir, options.market)), LedgerStore::Mode::kReadOnly, {});
  return absl::IsNotFound(store.status()) ? NoMarketError(options, data_dir) : std::move(store);
}

absl::Status CheckLogIsHere(const LogOptions& options, const std::string& data_dir) {
  if (options.kafka()) return absl::OkStatus();
  const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStoreForReading(options, data_dir);
  if (!store.ok()) return absl::OkStatus();
  const std::string identity = (*store)->state().log_identity;
  if (!absl::StartsWith(identity, kKafkaIdentity)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(MarketDir(data_dir, options.market), ": the ledger here is made from the log ",
                   identity, ", not an embedded one: say where it is with --log kafka --brokers"));
}

absl::Status CheckLogOfStore(const EventLog& log, const StoreState& state,
                             const LogOptions& options, const std::string& data_dir) {
  if (log.Identity() == state.log_identity) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      MarketDir(data_dir, options.market),
      ": the ledger was made from another log: ", state.log_identity, ", not ", log.Identity()));
}

absl::StatusOr<std::unique_ptr<EventLog>> OpenLogOfStore(const LogOptions& options,
                                                         const std::string& data_dir,
                                                         const StoreState& state) {
  absl::StatusOr<std::unique_ptr<EventLog>> log = OpenLogForReading(options, data_dir);
  if (!log.ok()) return log;
  if (absl::Status same = CheckLogOfStore(**log, state, options, data_dir); !same.ok()) return same;
  return log;
}

}  // namespace qmarket

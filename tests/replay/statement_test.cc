#include "replay/statement.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/digest.h"
#include "events/event.h"
#include "events/event_codec.h"
#include "ledger/store/store.h"
#include "matcher/core/market.h"
#include "matcher/process/engine.h"
#include "replay/recorded_digest.h"
#include "replay/signature.h"
#include "tests/support/memory_log.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kStart = 1'767'225'600'000;

// The first example of RFC 8032, 7.1.
constexpr char kSeed[] = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
constexpr char kPublicKey[] = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
constexpr char kSignature[] =
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b4"
    "6bd25bf5f0595bbe24655141438e7a100b";

SigningKey ExampleKey() {
  const std::string der =
      absl::HexStringToBytes(absl::StrCat("302e020100300506032b657004220420", kSeed));
  auto key = SigningKey::FromPem(absl::StrCat(
      "-----BEGIN PRIVATE KEY-----\n", absl::Base64Escape(der), "\n-----END PRIVATE KEY-----\n"));
  EXPECT_TRUE(key.ok()) << key.status();
  return *std::move(key);
}

TEST(SignatureTest, IsThatOfTheStandard) {
  const SigningKey key = ExampleKey();
  EXPECT_EQ(ToHex(key.public_key()), kPublicKey);
  EXPECT_EQ(ToHex(key.Sign("")), kSignature);
  EXPECT_TRUE(IsSignatureOf(key.public_key(), "", key.Sign("")));
  EXPECT_FALSE(IsSignatureOf(key.public_key(), "x", key.Sign("")));
}

TEST(SignatureTest, KeysComeBackFromTheirTexts) {
  const SigningKey key = SigningKey::Make();
  EXPECT_NE(key.public_key(), SigningKey::Make().public_key());
  const auto again = SigningKey::FromPem(key.ToPem());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->public_key(), key.public_key());
  EXPECT_EQ(PublicKeyFromPem(PublicKeyToPem(key.public_key())).value(), key.public_key());
  EXPECT_EQ(PublicKeyFromText(PublicKeyText(key.public_key())).value(), key.public_key());
  const Signature signature = key.Sign("x");
  EXPECT_EQ(SignatureFromText(SignatureText(signature)).value(), signature);
}

TEST(SignatureTest, RefusesWhatIsNoKey) {
  EXPECT_THAT(SigningKey::FromPem("").status().message(), HasSubstr("no such key"));
  EXPECT_THAT(PublicKeyFromPem(absl::string_view()).status().message(), HasSubstr("no such key"));
  EXPECT_THAT(SigningKey::FromPem(PublicKeyToPem({})).status().message(),
              HasSubstr("a private Ed25519 key"));
  EXPECT_THAT(PublicKeyFromPem(SigningKey::Make().ToPem()).status().message(),
              HasSubstr("a public Ed25519 key"));
  EXPECT_THAT(PublicKeyFromPem(std::string(100'000, 'x')).status().message(),
              HasSubstr("too long"));
  for (const char* text : {"", "MCow", "MCowBQYDK2VwAyEB", "=", "a b"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(PublicKeyFromText(text).status())) << text;
    EXPECT_TRUE(absl::IsInvalidArgument(SignatureFromText(text).status())) << text;
  }
}

Statement SmallStatement() {
  return {.market = "main",
          .log = "0123",
          .rules_version = 1,
          .offset = 41,
          .effective_time_ms = kStart,
          .digest = {0xab, 0xcd},
          .balances = {{"issue", -(Int128{1} << 100), kStatedReference},
                       {"mint:search", -12, "search"},
                       {"team:vision", 12, "search"}}};
}

std::string SealedText(const Statement& statement, const SigningKey& key) {
  return StatementText({statement, Seal{key.public_key(), key.Sign(StatementBody(statement))}});
}

TEST(StatementTest, HasOneForm) {
  EXPECT_EQ(StatementBody(SmallStatement()),
            absl::StrCat("{\"accounts\":3,\"balances\":["
                         "{\"account\":\"issue\",\"balance_micros\":-"
                         "1267650600228229401496703205376,\"currency\":\"(reference)\"},"
                         "{\"account\":\"mint:search\",\"balance_micros\":-12,\"currency\":"
                         "\"search\"},"
                         "{\"account\":\"team:vision\",\"balance_micros\":12,\"currency\":"
                         "\"search\"}],\"digest\":\"abcd",
                         std::string(60, '0'),
                         "\",\"effective_time_ms\":1767225600000,\"log\":\"0123\",\"market\":"
                         "\"main\",\"offset\":41,\"rules_version\":1,\"type\":"
                         "\"qmarket-statement\",\"version\":1}"));
}

TEST(StatementTest, ComesBackFromItsText) {
  const SigningKey key = SigningKey::Make();
  Statement statement = SmallStatement();
  for (const std::optional<std::int64_t> time_ms : {std::optional(kStart), {}}) {
    statement.effective_time_ms = time_ms;
    const auto sealed = ReadStatement(SealedText(statement, key));
    ASSERT_TRUE(sealed.ok()) << sealed.status();
    EXPECT_EQ(sealed->statement, statement);
    EXPECT_TRUE(IsSealed(*sealed));
    const auto bare = ReadStatement(StatementText({statement, std::nullopt}));
    ASSERT_TRUE(bare.ok()) << bare.status();
    EXPECT_EQ(bare->statement, statement);
    EXPECT_FALSE(IsSealed(*bare));
  }
}

TEST(StatementTest, EveryOtherByteIsRefused) {
  const std::string text = SealedText(SmallStatement(), ExampleKey());
  std::size_t read_and_refused = 0;
  for (std::size_t place = 0; place < text.size(); ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[place] = static_cast<char>(byte);
      if (changed == text) continue;
      const auto sealed = ReadStatement(changed);
      if (!sealed.ok()) continue;
      ++read_and_refused;
      ASSERT_FALSE(IsSealed(*sealed)) << "byte " << place << " as " << byte;
    }
  }
  EXPECT_GT(read_and_refused, 1'000U);
}

TEST(StatementTest, EveryCutAndEveryMissingByteIsRefused) {
  const std::string text = SealedText(SmallStatement(), ExampleKey());
  for (std::size_t place = 0; place < text.size(); ++place) {
    ASSERT_FALSE(ReadStatement(absl::string_view(text).substr(0, place)).ok()) << place;
    std::string shorter = text;
    shorter.erase(place, 1);
    const auto sealed = ReadStatement(shorter);
    ASSERT_TRUE(!sealed.ok() || !IsSealed(*sealed)) << place;
  }
  EXPECT_THAT(ReadStatement(text + "\n").status().message(), HasSubstr("more follows its end"));
}

TEST(StatementTest, NumbersHaveOneForm) {
  const std::string text = SealedText(SmallStatement(), ExampleKey());
  const std::string huge(60, '9');
  for (const std::string& number : {std::string("-0"), std::string("012"), std::string("+12"),
                                    std::string("1e1"), std::string("12.0"), std::string(" 12"),
                                    std::string("\"12\""), std::string("-"), std::string(), huge}) {
    const std::string changed =
        absl::StrReplaceAll(text, {{":12,", absl::StrCat(":", number, ",")}});
    ASSERT_NE(changed, text);
    EXPECT_THAT(ReadStatement(changed).status().message(), HasSubstr("at byte")) << number;
  }
}

// A store with several commits.
class StatementOfStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log_.set_append_time_ms(kStart + 3'600'000);
    auto store =
        LedgerStore::Open(folder_ / "store", LedgerStore::Mode::kReadWrite,
                          {.log_identity = log_.Identity(), .rules_version = kRulesVersion});
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    Apply({PoolConfigured{.pool = "search", .market_weight_micros_per_hour = 1'000'000},
           TeamConfigured{.team = "vision", .pool = "search", .income_micros_per_hour = 9'000},
           SupplyChanged{.resource = "h100", .owner = "", .chips = 4, .reason = ""},
           BidPlaced{.bid = "b", .team = "vision", .resource = "h100", .chips = 4}});
    for (int i = 0; i < 3; ++i) {
      Apply({BudgetGranted{.team = "vision", .amount_micros = 500, .memo = ""}, ClockTicked{},
             BidWithdrawn{.bid = "none", .reason = ""}, ClockTicked{}, ClockTicked{}});
    }
  }

  // Appends the events, and applies them in a commit of their own.
  void Apply(const std::vector<Payload>& payloads) {
    for (const Payload& payload : payloads) {
      const Event event = {
          .event_id = absl::StrCat("e", log_.records().size()),
          .time_ms = kStart + 60'000 * static_cast<std::int64_t>(log_.records().size()),
          .actor = "",
          .source = "",
          .payload = payload};
      ASSERT_TRUE(log_.Append({EncodeEvent(event)}, EventLog::Durability::kDurable).ok());
    }
    auto engine = Engine::Open(log_, store_.get(), {});
    ASSERT_TRUE(engine.ok()) << engine.status();
    ASSERT_TRUE((*engine)->Follow(UINT64_MAX).ok());
  }

  [[nodiscard]] std::uint64_t last() const { return *store_->state().last_offset; }

  TempFolder folder_;
  MemoryLog log_;
  std::unique_ptr<LedgerStore> store_;
};

TEST_F(StatementOfStoreTest, DigestsAtEveryOffsetAreThoseOfTheChain) {
  DigestChain chain;
  int links = 0;
  for (std::uint64_t offset = 0; offset <= last(); ++offset) {
    const auto read = store_->Outcomes({.from = offset, .to = offset},
                                       [&](std::uint64_t at, absl::string_view canonical) {
                                         chain.Add(at, canonical);
                                         ++links;
                                         return true;
                                       });
    ASSERT_TRUE(read.ok()) << read;
    EXPECT_EQ(RecordedDigestAt(*store_, offset).value(), chain.value()) << offset;
    EXPECT_EQ(RecomputedDigestAt(*store_, offset).value(), chain.value()) << offset;
  }
  EXPECT_GT(links, 5);
  EXPECT_EQ(chain.value(), store_->state().digest);
}

TEST_F(StatementOfStoreTest, TheBooksSayTheSame) {
  for (std::uint64_t offset = 0; offset <= last(); ++offset) {
    const auto statement = MakeStatement(*store_, "main", offset);
    ASSERT_TRUE(statement.ok()) << statement.status();
    const auto difference = CompareWithBooks(*statement, *store_, "main");
    ASSERT_TRUE(difference.ok()) << difference.status();
    EXPECT_EQ(*difference, std::nullopt) << offset;
  }
  EXPECT_GE(MakeStatement(*store_, "main", last())->balances.size(), 3U);
}

TEST_F(StatementOfStoreTest, FindsTheFirstDifference) {
  const Statement statement = MakeStatement(*store_, "main", last()).value();
  const auto differs = [&](Statement changed, absl::string_view words) {
    const auto difference = CompareWithBooks(changed, *store_, "main");
    ASSERT_TRUE(difference.ok()) << difference.status();
    ASSERT_TRUE(difference->has_value()) << words;
    EXPECT_THAT(**difference, HasSubstr(words));
  };
  Statement changed = statement;
  changed.market = "other";
  differs(changed, "market: the statement says other");
  changed = statement;
  changed.digest[31] ^= 1;
  differs(changed, "digest: the statement says ");
  changed = statement;
  changed.balances.back().balance_micros += 1;
  differs(changed, "in micro-credits: the statement says ");
  changed = statement;
  changed.balances.back().currency = "ads";
  differs(changed, "the currency of account team:vision");
  changed = statement;
  changed.balances.pop_back();
  differs(changed, "account team:vision: the statement says nothing");
  changed = statement;
  changed.balances.push_back({"zebra", 0, "search"});
  differs(changed, "account zebra: the statement says there is one");
  changed = statement;
  changed.offset += 1;
  differs(changed, "is the last one applied");
}

}  // namespace
}  // namespace qmarket

// Every check of the audit is seen to find what it is for: a store is changed below, with right
// checksums, as someone could who knows the formats.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/outcome.h"
#include "events/units.h"
#include "ledger/store/format.h"
#include "ledger/store/store.h"
#include "matcher/process/outcome_index.h"
#include "replay/audit/report.h"
#include "tests/audit/doctor.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class StoreAuditTest : public testing::Test {
 protected:
  StoreAuditTest() : folder_(MakeMarket(dir_.path(), DoctorRecords())) {}

  void Audit() {
    RunAudit(folder_, report_);
    failed_ = FailedChecks(report_);
    findings_ = FindingsOf(report_);
    EXPECT_FALSE(report_.verified());
    for (const AuditFinding& finding : report_.findings())
      EXPECT_EQ(finding.where, AuditPart::kStore) << findings_;
  }

  // Changes an entry of a series.
  void Edit(const std::string& prefix, std::uint64_t position, const EditEntry& edit) {
    Change(folder_.store, [&](rocksdb::DB& db) { EditSeries(db, prefix, position, edit); });
  }

  void Write(const std::string& prefix, std::uint64_t position, const std::string& value) {
    Edit(prefix, position, [&](const auto&) { return value; });
  }

  void Erase(const std::string& prefix, std::uint64_t position) {
    Edit(prefix, position, [](const std::optional<std::string>& value) {
      EXPECT_TRUE(value.has_value()) << "there is none";
      return std::nullopt;
    });
  }

  AccountId Account(const std::string& name) {
    const auto store = LedgerStore::Open(folder_.store, LedgerStore::Mode::kReadOnly, {});
    return (*store)->FindAccounts(name)->front().id;
  }

  std::uint64_t Posted(PostingKind kind, std::uint64_t from = 0) {
    const std::uint64_t offset = OffsetOf<CreditsPosted>(
        folder_, from, [kind](const CreditsPosted& posted) { return posted.kind == kind; });
    EXPECT_NE(offset, UINT64_MAX) << PostingKindName(kind);
    return offset;
  }

  // Changes the first outcome of a type.
  template <typename T>
  void EditFirst(std::uint64_t offset, const std::function<void(T&)>& edit,
                 const std::function<bool(const T&)>& wanted = {}) {
    bool found = false;
    EditOutcomes(folder_, offset, [&](std::vector<Outcome>& outcomes) {
      for (Outcome& outcome : outcomes) {
        T* told = std::get_if<T>(&outcome);
        if (told == nullptr || (wanted && !wanted(*told))) continue;
        edit(*told);
        found = true;
        return;
      }
    });
    EXPECT_TRUE(found);
  }

  TempFolder dir_;
  MarketFolder folder_;
  AuditReport report_;
  std::set<std::string> failed_;
  std::string findings_;
};

TEST_F(StoreAuditTest, NothingIsFoundInAGoodMarket) {
  RunAudit(folder_, report_);
  EXPECT_EQ(FindingsOf(report_), "");
  EXPECT_TRUE(report_.verified());
  EXPECT_THAT(report_.notes(), IsEmpty());
  EXPECT_EQ(report_.offset(), DoctorRecords().size() - 1);
  // Nothing is proved by a check that had nothing to look at.
  for (const AuditCheck& check : report_.checks()) {
    EXPECT_GT(check.count(), 0U) << check.name();
    EXPECT_TRUE(check.complete()) << check.name();
  }
  std::set<PostingKind> kinds;
  std::set<RejectionCode> codes;
  for (const auto& [offset, outcomes] : AllOutcomes(folder_)) {
    for (const Outcome& outcome : outcomes) {
      if (const auto* posted = std::get_if<CreditsPosted>(&outcome)) kinds.insert(posted->kind);
      if (const auto* rejected = std::get_if<EventRejected>(&outcome)) codes.insert(rejected->code);
    }
  }
  EXPECT_GE(kinds.size(), 7U);  // all but what lapses
  EXPECT_GE(codes.size(), 3U);
}

TEST_F(StoreAuditTest, APostingOfAnotherAmount) {
  const std::uint64_t offset = Posted(PostingKind::kGrant);
  EditPostings(folder_, offset, [](auto& postings) { postings[0].amount += Credits(1); });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("postings told", "balances", "replay"));
  EXPECT_THAT(findings_, HasSubstr("posted a grant of 5000001 from mint:search to team:rank"));
}

TEST_F(StoreAuditTest, APostingBetweenCurrencies) {
  EditPostings(folder_, Posted(PostingKind::kTransfer),
               [this](auto& postings) { postings[0].to = Account("team:bid"); });
  Audit();
  EXPECT_THAT(failed_, Contains("double entry"));
  EXPECT_THAT(findings_, HasSubstr("two currencies, \"search\" and \"ads\""));
}

TEST_F(StoreAuditTest, APostingToNobody) {
  EditPostings(folder_, Posted(PostingKind::kGrant),
               [](auto& postings) { postings[0].to = AccountId(1000); });
  Audit();
  EXPECT_THAT(failed_, Contains("double entry"));
}

TEST_F(StoreAuditTest, APostingThatNoKindMakes) {
  // Income cannot be paid by a team; the amount and the accounts are those of the transfer.
  EditPostings(folder_, Posted(PostingKind::kTransfer), [](auto& postings) {
    postings[0].kind = static_cast<std::uint8_t>(PostingKind::kIncome);
  });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("double entry", "postings told", "replay"));
  EXPECT_THAT(findings_, HasSubstr("no income goes between such accounts"));
}

TEST_F(StoreAuditTest, AnOverdraft) {
  EditPostings(folder_, Posted(PostingKind::kTransfer),
               [](auto& postings) { postings[0].amount = Credits(900'000'000'000); });
  Audit();
  EXPECT_THAT(failed_, Contains("no overdraft"));
  EXPECT_THAT(findings_, HasSubstr("account team:rank has -"));
}

TEST_F(StoreAuditTest, APostingThatIsGone) {
  EditPostings(folder_, Posted(PostingKind::kGrant), [](auto& postings) { postings.clear(); });
  Audit();
  // Without the grant, later charges are more than the team has.
  EXPECT_THAT(failed_, UnorderedElementsAre("postings told", "balances", "no overdraft", "replay"));
  EXPECT_THAT(findings_, HasSubstr("and nothing of it is posted"));
}

TEST_F(StoreAuditTest, APostingTooMany) {
  EditPostings(folder_, Posted(PostingKind::kGrant),
               [](auto& postings) { postings.push_back(postings[0]); });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("postings told", "balances", "replay"));
  EXPECT_THAT(findings_, HasSubstr("and nothing of it is told"));
}

TEST_F(StoreAuditTest, ABalanceChangedAddedRemoved) {
  const std::uint64_t offset = Posted(PostingKind::kGrant);
  const std::string prefix = store_format::BalancePrefix(Account("team:rank"));
  std::string value;
  store_format::AppendBalance(value, 77);
  Write(prefix, offset, value);      // changed
  Write(prefix, offset - 1, value);  // added
  Erase(prefix, Posted(PostingKind::kTransfer));
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("balances"));
  EXPECT_THAT(findings_, AllOf(HasSubstr("balances, account team:rank"),
                               HasSubstr("a balance of 77 is kept, expected "),
                               HasSubstr("and nothing is posted there"),
                               HasSubstr("no balance is kept, expected")));
}

TEST_F(StoreAuditTest, AChargeThatChipsAndPricesDoNotMake) {
  const std::uint64_t offset = Posted(PostingKind::kCharge, 40);
  const auto is_charge = [](const CreditsPosted& posted) {
    return posted.kind == PostingKind::kCharge;
  };
  std::string account;
  EditFirst<CreditsPosted>(
      offset,
      [&](CreditsPosted& posted) {
        ++posted.amount_micros;
        account = posted.from;
      },
      is_charge);
  // The journal and the digests go with it: then only what was charged is wrong by itself.
  EditPostings(folder_, offset, [](auto& postings) {
    for (Posting& posting : postings) {
      if (posting.kind != static_cast<std::uint8_t>(PostingKind::kCharge)) continue;
      posting.amount += Credits(1);
      return;
    }
  });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("charges", "balances", "digest chain", "replay"));
  EXPECT_THAT(findings_, HasSubstr("expected together"));
}

TEST_F(StoreAuditTest, AChargeThatIsGone) {
  const std::uint64_t offset = Posted(PostingKind::kCharge, 40);
  EditOutcomes(folder_, offset, [](auto& outcomes) {
    std::erase_if(outcomes, [done = false](const Outcome& outcome) mutable {
      const auto* posted = std::get_if<CreditsPosted>(&outcome);
      if (done || posted == nullptr || posted->kind != PostingKind::kCharge) return false;
      return done = true;
    });
  });
  Audit();
  EXPECT_THAT(failed_, AllOf(Contains("charges"), Contains("postings told")));
  EXPECT_THAT(findings_, HasSubstr("at this settlement, and no charge is posted"));
}

TEST_F(StoreAuditTest, AnIncomeThatNobodyStated) {
  for (const PostingKind kind : {PostingKind::kIncome, PostingKind::kWeight}) {
    EditFirst<CreditsPosted>(
        Posted(kind, 40), [](CreditsPosted& posted) { ++posted.amount_micros; },
        [kind](const CreditsPosted& posted) { return posted.kind == kind; });
  }
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("incomes", "postings told", "digest chain", "replay"));
  EXPECT_THAT(findings_, AllOf(HasSubstr("income of 3333335 to team:rank, expected 3333334"),
                               HasSubstr("weight of ")));
}

TEST_F(StoreAuditTest, AnIncomeThatIsGone) {
  EditOutcomes(folder_, Posted(PostingKind::kIncome, 40), [](auto& outcomes) {
    std::erase_if(outcomes, [](const Outcome& outcome) {
      const auto* posted = std::get_if<CreditsPosted>(&outcome);
      return posted != nullptr && posted->to == "team:see" && posted->kind == PostingKind::kIncome;
    });
  });
  Audit();
  EXPECT_THAT(failed_, AllOf(Contains("incomes"), Contains("postings told")));
  EXPECT_THAT(findings_, HasSubstr("team:see is due 3333334 at this settlement"));
}

TEST_F(StoreAuditTest, WhatAPursePaysForChips) {
  const auto is_chips = [](const CreditsPosted& posted) {
    return posted.kind == PostingKind::kChips;
  };
  EditFirst<CreditsPosted>(
      Posted(PostingKind::kChips, 40), [](CreditsPosted& posted) { posted.amount_micros -= 1; },
      is_chips);
  Audit();
  EXPECT_THAT(failed_, AllOf(Contains("chips bought"), Contains("postings told")));
}

TEST_F(StoreAuditTest, APriceThatWasNotCharged) {
  const auto has_price = [](const MarketCleared& cleared) {
    return !cleared.pools.empty() && cleared.pools[0].price_micros.value_or(0) > 0 &&
           cleared.pools[0].paid > 0;
  };
  const std::uint64_t offset = OffsetOf<MarketCleared>(folder_, 20, has_price);
  ASSERT_NE(offset, UINT64_MAX);
  EditFirst<MarketCleared>(
      offset,
      [](MarketCleared& cleared) {
        *cleared.pools[0].price_micros += 3'600'000;
        *cleared.pools[0].reference_price_micros += 3'600'000;
      },
      has_price);
  Audit();
  EXPECT_THAT(failed_,
              UnorderedElementsAre("charges", "chips bought", "digest chain", "index", "replay"));
}

TEST_F(StoreAuditTest, ChipsThatNobodyHolds) {
  const std::uint64_t offset = OffsetOf<MarketCleared>(folder_, 30);
  EditFirst<MarketCleared>(offset, [](MarketCleared& cleared) { ++cleared.allocated; });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("allocations", "digest chain", "index", "replay"));
}

TEST_F(StoreAuditTest, AFillThatNobodyWasTold) {
  const std::uint64_t offset = OffsetOf<BidFilled>(folder_, 30);
  ASSERT_NE(offset, UINT64_MAX);
  EditFirst<BidFilled>(offset, [](BidFilled& filled) { filled.chips += 1; });
  Audit();
  EXPECT_THAT(failed_, Contains("allocations"));
}

TEST_F(StoreAuditTest, UncollectedWhereThereIsEnough) {
  const std::uint64_t offset = Posted(PostingKind::kGrant);
  EditFirst<CreditsPosted>(offset, [](CreditsPosted& posted) { posted.uncollected_micros = 1; });
  Audit();
  EXPECT_THAT(failed_, Contains("postings told"));
  EXPECT_THAT(findings_, HasSubstr("1 are uncollected, and the account has"));
}

TEST_F(StoreAuditTest, DigestsOfACommitAndOfTheState) {
  const auto store = LedgerStore::Open(folder_.store, LedgerStore::Mode::kReadOnly, {});
  std::uint64_t commit = 0;
  ASSERT_TRUE((*store)
                  ->Digests({.from = 20},
                            [&](std::uint64_t offset, const Digest&) {
                              commit = offset;
                              return false;
                            })
                  .ok());
  StoreState state = (*store)->state();
  state.digest[3] ^= 1;
  const std::string digest(32, 'x');
  Change(folder_.store, [&](rocksdb::DB& db) {
    Put(db, store_format::StateKey(), store_format::EncodeState(state));
    EditSeries(db, store_format::DigestPrefix(), commit, [&](const auto&) { return digest; });
  });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("digest chain", "replay"));
  EXPECT_THAT(findings_, AllOf(HasSubstr("digest at " + std::to_string(commit)),
                               HasSubstr("and the store's state has")));
}

TEST_F(StoreAuditTest, TheLastRecordOfTheState) {
  StoreState state = (*LedgerStore::Open(folder_.store, LedgerStore::Mode::kReadOnly, {}))->state();
  state.last_record_hash[0] ^= 1;
  Change(folder_.store, [&](rocksdb::DB& db) {
    Put(db, store_format::StateKey(), store_format::EncodeState(state));
  });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("log records"));
}

TEST_F(StoreAuditTest, IndexEntriesChangedAddedRemoved) {
  const std::string bid =
      store_format::IndexPrefix(static_cast<std::uint8_t>(IndexKind::kBid), "job-0");
  const std::string rejections =
      store_format::IndexPrefix(static_cast<std::uint8_t>(IndexKind::kRejection), "");
  const auto is_job = [](const BidFilled& filled) { return filled.bid == "job-0"; };
  const std::uint64_t filled = OffsetOf<BidFilled>(folder_, 0, is_job);
  const std::uint64_t again = OffsetOf<BidFilled>(folder_, filled + 1, is_job);
  ASSERT_NE(again, UINT64_MAX);
  Write(bid, filled, "something else");
  Erase(bid, again);
  Write(rejections, 3, "never said");
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("index"));
  EXPECT_THAT(
      findings_,
      AllOf(HasSubstr("index, bid job-0 at " + std::to_string(filled) +
                      ": its entry is not what the outcomes of the offset say"),
            HasSubstr("index, bid job-0 at " + std::to_string(again) + ": it has no entry there"),
            HasSubstr("index, rejections at 3: it has an entry there, and no outcome")));
}

TEST_F(StoreAuditTest, AKindOfTheIndexThatThereIsNot) {
  Write(store_format::IndexPrefix(99, "thing"), 3, "value");
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("index"));
  EXPECT_THAT(findings_, HasSubstr("kind 99, name thing"));
}

TEST_F(StoreAuditTest, EffectiveTimes) {
  std::string value;
  store_format::AppendNumber(value, kDoctorStart + 5);
  Write(store_format::OffsetTimePrefix(), 20, value);
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("effective times"));
  EXPECT_THAT(findings_, HasSubstr("effective times at 20: the time in force is 1767225600005"));
}

TEST_F(StoreAuditTest, OffsetsByTime) {
  std::string value;
  store_format::AppendNumber(value, 17);
  const std::uint64_t minute = kDoctorStart + 60'000;
  Write(store_format::TimePrefix(), minute, value);      // changed
  Write(store_format::TimePrefix(), minute + 1, value);  // added
  Erase(store_format::TimePrefix(), minute + 5 * 60'000);
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("effective times"));
  EXPECT_THAT(findings_, AllOf(HasSubstr("the last offset at time 1767225660000 is 17"),
                               HasSubstr("an entry for time 1767225660001"),
                               HasSubstr("the last offset at time 1767225960000 is none")));
}

TEST_F(StoreAuditTest, ALateEventThatWasNotToldOf) {
  const std::uint64_t offset = OffsetOf<EventLate>(folder_);
  EditOutcomes(folder_, offset, [](auto& outcomes) {
    std::erase_if(outcomes, [](const Outcome& outcome) {
      return std::holds_alternative<EventLate>(outcome);
    });
  });
  Audit();
  EXPECT_THAT(failed_, Contains("effective times"));
}

TEST_F(StoreAuditTest, ARepeatThatTookEffect) {
  const std::uint64_t offset = OffsetOf<EventRejected>(folder_, 0, [](const EventRejected& event) {
    return event.code == RejectionCode::kIdReused;
  });
  ASSERT_NE(offset, UINT64_MAX);
  EditOutcomes(folder_, offset, [](auto& outcomes) { outcomes.clear(); });
  Audit();
  EXPECT_THAT(failed_, Contains("event ids"));
  EXPECT_THAT(findings_, HasSubstr("event e3 has the id of the one at offset 3: expected that it "
                                   "was rejected as id_reused, and it took effect"));
}

TEST_F(StoreAuditTest, ANewEventThatWasTakenForARepeat) {
  const std::uint64_t offset = OffsetOf<EventRejected>(folder_, 0, [](const EventRejected& event) {
    return event.code == RejectionCode::kUnknownTeam;
  });
  EditFirst<EventRejected>(offset,
                           [](EventRejected& event) { event.code = RejectionCode::kDuplicate; });
  Audit();
  EXPECT_THAT(failed_, Contains("event ids"));
  EXPECT_THAT(findings_, HasSubstr("was rejected as duplicate, and no earlier one has its id"));
}

TEST_F(StoreAuditTest, OutcomesOfAnOffsetThatIsNotApplied) {
  EditOutcomes(folder_, 500, [](auto& outcomes) {
    outcomes.push_back(EventLate{.event_id = "x", .claimed_ms = 1, .effective_ms = 2});
  });
  Audit();
  EXPECT_THAT(failed_, AllOf(Contains("store form"), Contains("digest chain")));
  EXPECT_THAT(findings_, HasSubstr("outcomes at 500"));
}

TEST_F(StoreAuditTest, OutcomesThatAreNone) {
  Write(store_format::OutcomePrefix(), 20, "no outcomes");
  Audit();
  EXPECT_THAT(failed_, AllOf(Contains("store form"), Contains("replay")));
}

TEST_F(StoreAuditTest, ABlockWithAWrongChecksum) {
  Change(folder_.store, [](rocksdb::DB& db) {
    const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator(rocksdb::ReadOptions()));
    at->Seek(store_format::BalancePrefix(AccountId(3)));
    std::string value = at->value().ToString();
    value[value.size() / 2] = static_cast<char>(value[value.size() / 2] ^ 1);
    Put(db, at->key().ToString(), value);
  });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("balances"));
  EXPECT_THAT(findings_, HasSubstr("the checksum of the value under key 0x42"));
}

TEST_F(StoreAuditTest, KeysThatAreNotOfAStore) {
  Change(folder_.store, [](rocksdb::DB& db) {
    Put(db, "Zebra", "value");
    Put(db, store_format::AccountKey(AccountId(1000)), "value");
  });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("store form"));
  EXPECT_THAT(findings_, AllOf(HasSubstr("there is no such table"), HasSubstr("none of them")));
}

TEST_F(StoreAuditTest, AnAccountThatLeadsElsewhere) {
  const AccountId rank = Account("team:rank");
  const auto store = LedgerStore::Open(folder_.store, LedgerStore::Mode::kReadOnly, {});
  const CurrencyId currency = (*store)->Accounts()->at(rank.index()).currency;
  Change(folder_.store, [&](rocksdb::DB& db) {
    Put(db, store_format::AccountNameKey("team:rank", currency),
        store_format::EncodeAccountId(AccountId(0)));
  });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("store form"));
}

TEST_F(StoreAuditTest, AnAccountOfAnotherName) {
  const AccountId rank = Account("team:rank");
  const auto store = LedgerStore::Open(folder_.store, LedgerStore::Mode::kReadOnly, {});
  const CurrencyId currency = (*store)->Accounts()->at(rank.index()).currency;
  Change(folder_.store, [&](rocksdb::DB& db) {
    Put(db, store_format::AccountKey(rank),
        store_format::EncodeAccount(
            {.name = "team:rink", .currency = currency, .floor = Floor::kZero}));
  });
  Audit();
  EXPECT_THAT(failed_,
              AllOf(Contains("replay"), Contains("postings told"), Contains("store form")));
}

TEST_F(StoreAuditTest, AFloorThatIsGone) {
  const AccountId rank = Account("team:rank");
  const auto store = LedgerStore::Open(folder_.store, LedgerStore::Mode::kReadOnly, {});
  const CurrencyId currency = (*store)->Accounts()->at(rank.index()).currency;
  Change(folder_.store, [&](rocksdb::DB& db) {
    Put(db, store_format::AccountKey(rank),
        store_format::EncodeAccount(
            {.name = "team:rank", .currency = currency, .floor = Floor::kNone}));
  });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("replay"));
}

TEST_F(StoreAuditTest, AStoreThatDoesNotOpen) {
  Change(folder_.store, [](rocksdb::DB& db) { Remove(db, store_format::StateKey()); });
  Audit();
  EXPECT_THAT(failed_, UnorderedElementsAre("store opening"));
  EXPECT_THAT(findings_, HasSubstr("its state is missing"));
  EXPECT_THAT(report_.notes(), Contains(HasSubstr("neither the books nor the replay")));
}

TEST_F(StoreAuditTest, OfManyFindingsSomeAreKept) {
  for (std::uint64_t offset = 1; offset < 60; ++offset)
    Write(store_format::IndexPrefix(99, "thing"), offset, "value");
  Audit();
  EXPECT_EQ(report_.findings().size(), AuditReport::kMostFindings);
  EXPECT_EQ(report_.found(), AuditReport::kMostFindings);
}

}  // namespace
}  // namespace qmarket

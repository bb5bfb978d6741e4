#include "replay/audit/audit.h"

#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

#include "events/durable_mark.h"
#include "events/embedded_log.h"
#include "events/rocksdb_files.h"
#include "ledger/store/scan.h"
#include "ledger/store/store.h"
#include "matcher/core/market.h"
#include "replay/audit/checkpoints.h"
#include "replay/audit/log_pass.h"
#include "replay/audit/outcomes_topic.h"
#include "replay/audit/store_pass.h"

namespace qmarket {
namespace {

constexpr int kAttempts = 20;
constexpr absl::Duration kPause = absl::Milliseconds(20);

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// Whether what could not be opened is damaged, and not only out of reach.
bool IsDamage(const absl::Status& status) {
  return !absl::IsUnavailable(status) && !absl::IsPermissionDenied(status) &&
         !absl::IsFailedPrecondition(status) && !absl::IsResourceExhausted(status);
}

class Audit {
 public:
  Audit(const AuditTarget& target, const AuditProgress& progress, AuditReport& report)
      : target_(target), progress_(progress), report_(report), log_(target.log) {}

  absl::Status Run() {
    const bool embedded = log_ == nullptr;
    const bool has_log = !embedded || Exists(target_.log_dir);
    const bool has_store = Exists(target_.store_dir);
    if (!has_log || !has_store) {
      if (!has_log && !has_store) return absl::NotFoundError("there is neither a log nor a ledger");
      if (!has_store) return absl::NotFoundError("there is no ledger");
    }
    progress_("reading files", 0, 0);
    const bool log_whole = !embedded || CheckFiles(target_.log_dir, AuditPart::kLog, "log files");
    const bool store_whole = CheckFiles(target_.store_dir, AuditPart::kStore, kStoreFilesCheck);
    if (!failure_.ok()) return failure_;
    if (embedded && log_whole) OpenLog();
    if (store_whole) OpenStore();
    if (!failure_.ok()) return failure_;
    return CheckContents();
  }

 private:
  // Whether all of a database's files are whole.
  bool CheckFiles(const std::string& dir, AuditPart part, const char* name) {
    AuditCheck& check = report_.Begin(name, "files");
    const absl::StatusOr<DatabaseFiles> files = CheckDatabaseFiles(dir);
    if (!files.ok()) {
      if (absl::IsUnavailable(files.status())) failure_ = files.status();
      check.Find({.where = part, .object = dir, .what = std::string(files.status().message())});
      return false;
    }
    check.Count(files->files);
    for (const FileDamage& damage : files->damages) {
      const std::string place = damage.position.has_value()
                                    ? absl::StrCat("at byte ", *damage.position, ": ")
                                    : std::string();
      check.Find({.where = part,
                  .object = damage.file.empty() ? dir : damage.file,
                  .what = absl::StrCat(place, damage.what)});
    }
    if (files->without_checksum > 0) {
      report_.Note(absl::StrCat(dir, ": ", files->without_checksum,
                                " table files are of an older program and have no checksum of the "
                                "whole file; those of their blocks were looked at"));
    }
    return files->damages.empty();
  }

  // Opens something that may be damaged.
  template <typename T>
  T OpenPart(absl::StatusOr<T> opened, AuditPart part, const std::string& dir, const char* name) {
    if (opened.ok()) return *std::move(opened);
    if (!IsDamage(opened.status())) {
      failure_ = opened.status();
      return nullptr;
    }
    report_.Begin(name, "openings")
        .Find({.where = part, .object = dir, .what = std::string(opened.status().message())});
    return nullptr;
  }

  void OpenLog() {
    own_log_ = OpenPart(EmbeddedLog::Open(target_.log_dir, EmbeddedLog::Mode::kReadOnly),
                        AuditPart::kLog, target_.log_dir, "log opening");
    log_ = own_log_.get();
  }

  // Twice: by the ledger's own reader, which knows what must be there, and then to be read whole. A
  // writer may have committed more between them.
  void OpenStore() {
    const std::unique_ptr<LedgerStore> store =
        OpenPart(LedgerStore::Open(target_.store_dir, LedgerStore::Mode::kReadOnly, {}),
                 AuditPart::kStore, target_.store_dir, "store opening");
    if (store == nullptr) return;
    scan_ = OpenPart(StoreScan::Open(target_.store_dir), AuditPart::kStore, target_.store_dir,
                     "store opening");
  }

  absl::Status CheckContents() {
    if (scan_ != nullptr) report_.Reached(scan_->state().last_offset, scan_->state().digest);
    const bool same_log = log_ != nullptr && scan_ != nullptr && BelongTogether();
    if (log_ != nullptr && !target_.log_dir.empty()) CheckMark();
    if (!failure_.ok()) return failure_;
    std::unique_ptr<StorePass> store_pass;
    if (scan_ != nullptr) store_pass = std::make_unique<StorePass>(*scan_, report_);
    std::unique_ptr<LogPass> log_pass;
    if (same_log) log_pass = std::make_unique<LogPass>(*log_, *scan_, report_);
    CheckpointAudit checkpoints(target_.checkpoints_dir, log_ != nullptr ? log_->Identity() : "",
                                report_);
    checkpoints.ReadFiles();
    std::thread beside;
    if (store_pass != nullptr) beside = std::thread([&] { store_pass->Run(); });
    const absl::Status status =
        log_pass != nullptr ? RunLogPass(*log_pass, checkpoints) : absl::OkStatus();
    if (beside.joinable()) beside.join();
    checkpoints.Finish(log_pass != nullptr && log_pass->replayed(), log_end_);
    if (log_pass == nullptr || store_pass == nullptr) {
      report_.Note(absl::StrCat(store_pass == nullptr
                                    ? "neither the books nor the replay were checked"
                                    : "the records and the replay were not checked",
                                ", because of what was found before"));
    }
    if (!status.ok() || !same_log || !target_.topics.has_value()) return status;
    return AuditOutcomesTopic(*target_.kafka, *target_.topics, *scan_, *log_, report_);
  }

  bool BelongTogether() {
    AuditCheck& check = report_.Begin("log and ledger", "identities");
    check.Count();
    const StoreState& state = scan_->state();
    if (state.log_identity != log_->Identity()) {
      check.Find({.where = AuditPart::kLog,
                  .object = "identity",
                  .what = absl::StrCat("the log is ", log_->Identity(),
                                       ", and the ledger was made from ", state.log_identity)});
      return false;
    }
    if (state.rules_version > kRulesVersion) {
      check.Find(
          {.where = AuditPart::kStore,
           .object = "rules",
           .what = absl::StrCat("the ledger was made under version ", state.rules_version,
                                " of the rules, and this program has version ", kRulesVersion)});
      return false;
    }
    return true;
  }

  // Records beyond the mark: a writer that was killed leaves some, and so does a hand that adds
  // them below the log.
  void CheckMark() {
    AuditCheck& check = report_.Begin("durable mark", "marks");
    check.Count();
    const std::string path = target_.log_dir + "/DURABLE";
    const absl::StatusOr<std::uint64_t> end = log_->EndOffset();
    if (!end.ok()) {
      check.Find({.where = AuditPart::kLog,
                  .object = target_.log_dir,
                  .what = std::string(end.status().message())});
      return;
    }
    absl::StatusOr<std::uint64_t> mark = DurableMark::Read(path);
    const bool written = HasWriter(target_.log_dir);
    for (int attempt = 0; written && mark.ok() && *mark < *end && attempt < kAttempts; ++attempt) {
      absl::SleepFor(kPause);
      mark = DurableMark::Read(path);
    }
    const auto find = [&](std::optional<std::uint64_t> offset, std::string what) {
      check.Find({.where = AuditPart::kLog,
                  .object = "DURABLE",
                  .offset = offset,
                  .what = std::move(what)});
    };
    if (!mark.ok()) {
      find(std::nullopt, std::string(mark.status().message()));
    } else if (!Exists(path)) {
      find(std::nullopt,
           "the mark is missing: records that were on stable storage and are gone "
           "would not be noticed");
    } else if (*mark < *end) {
      const std::string beyond = absl::StrCat(
          "the log has ", *end - *mark, " records beyond its mark, from offset ", *mark, " on");
      if (written) {
        report_.Note(absl::StrCat(beyond, ": its writer has not made them durable yet"));
      } else {
        find(*mark, absl::StrCat(beyond,
                                 ", and nobody was told that they are durable: a writer that was "
                                 "killed may leave such records (start it again, and it marks "
                                 "them), or they were put there by something else"));
      }
    }
  }

  absl::Status RunLogPass(LogPass& pass, CheckpointAudit& checkpoints) {
    const absl::StatusOr<std::uint64_t> end = log_->EndOffset();
    if (!end.ok()) return end.status();
    log_end_ = *end;
    const std::uint64_t applied = scan_->state().next_offset;
    if (*end > applied) {
      report_.Note(absl::StrCat("the ledger has not applied the log from offset ", applied,
                                " on, up to ", *end, ": records there were only read"));
    }
    return pass.Run(
        *end, [&](std::uint64_t done, std::uint64_t total) { progress_("replaying", done, total); },
        [&](std::uint64_t next_offset, const Replica& replica, const Digest& last_record_hash) {
          checkpoints.Reach(next_offset, replica, last_record_hash);
        });
  }

  const AuditTarget& target_;
  const AuditProgress& progress_;
  AuditReport& report_;
  EventLog* log_;
  std::unique_ptr<EmbeddedLog> own_log_;
  std::unique_ptr<StoreScan> scan_;
  std::uint64_t log_end_ = 0;
  absl::Status failure_;  // what keeps it from looking
};

}  // namespace

absl::Status AuditMarket(const AuditTarget& target, const AuditProgress& progress,
                         AuditReport& report) {
  return Audit(target, progress, report).Run();
}

}  // namespace qmarket

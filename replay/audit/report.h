// What an audit looked at, and what it found.
//
//   AuditReport report;
//   AuditCheck& postings = report.Begin("double entry", "postings");
//   postings.Count();
//   postings.Find({.where = AuditPart::kStore, .object = "journal", .offset = 12, .what = "..."});
//
// Findings say that something is not as it must be; notes are worth knowing and are no failures.
// Checks of a report may be used by different threads at once, each by one; all else is for when no
// check is being used.
#ifndef QMARKET_REPLAY_AUDIT_REPORT_H_
#define QMARKET_REPLAY_AUDIT_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "events/fingerprint.h"

namespace qmarket {

enum class AuditPart { kLog, kStore, kCheckpoint, kOutcomesTopic };

// "log", "store", "checkpoint", "outcomes topic"
[[nodiscard]] const char* AuditPartName(AuditPart part);

struct AuditFinding {
  AuditPart where = AuditPart::kStore;
  std::string object;                     // a file, a table, an account
  std::optional<std::uint64_t> offset{};  // in the log, of what is wrong
  std::string what;                       // what was expected, and what was found
};

class AuditReport;

// One thing that is looked at all over.
class AuditCheck {
 public:
  AuditCheck(AuditReport& report, std::string name, std::string unit)
      : report_(report), name_(std::move(name)), unit_(std::move(unit)) {}

  // Looked at one more, or so many.
  void Count(std::uint64_t more = 1) { count_ += more; }

  void Find(AuditFinding finding);

  // It could not be done, or not to its end, because of something that was found elsewhere.
  void GiveUp() { complete_ = false; }

  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] const std::string& unit() const { return unit_; }  // of the count: "postings"

  [[nodiscard]] std::uint64_t count() const { return count_; }

  [[nodiscard]] std::uint64_t findings() const { return findings_; }

  [[nodiscard]] bool complete() const { return complete_; }

  [[nodiscard]] bool ok() const { return complete_ && findings_ == 0; }

 private:
  AuditReport& report_;
  std::string name_;
  std::string unit_;
  std::uint64_t count_ = 0;
  std::uint64_t findings_ = 0;
  bool complete_ = true;
};

class AuditReport {
 public:
  // So many findings of a check are kept; more are only counted.
  static constexpr std::size_t kMostFindings = 20;

  AuditReport() = default;
  AuditReport(const AuditReport&) = delete;
  AuditReport& operator=(const AuditReport&) = delete;

  // The check lives as long as this.
  AuditCheck& Begin(std::string name, std::string unit);

  // From any thread.
  void Note(std::string note);

  // How far the ledger is: the last offset that was applied, and the digest after it.
  void Reached(std::optional<std::uint64_t> offset, const Digest& digest) {
    offset_ = offset;
    digest_ = digest;
  }

  // Whether all was looked at and nothing found.
  [[nodiscard]] bool verified() const;

  [[nodiscard]] std::optional<std::uint64_t> offset() const { return offset_; }

  [[nodiscard]] const Digest& digest() const { return digest_; }

  [[nodiscard]] const std::deque<AuditCheck>& checks() const { return checks_; }

  [[nodiscard]] const std::vector<AuditFinding>& findings() const { return findings_; }

  // Of all checks together, those that were not kept too.
  [[nodiscard]] std::uint64_t found() const;

  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  friend class AuditCheck;

  std::optional<std::uint64_t> offset_;
  Digest digest_{};
  std::deque<AuditCheck> checks_;
  std::mutex mutex_;  // of all below, while checks are used
  std::vector<AuditFinding> findings_;
  std::vector<std::string> notes_;
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_REPORT_H_

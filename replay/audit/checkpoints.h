// Whether every file of the checkpoints is whole, and holds the market as it was at its place in
// the log.
//
//   CheckpointAudit audit(dir, log_identity, report);
//   audit.ReadFiles();
//   audit.Reach(next_offset, replica, hash);   // before each record of a replay from zero
//   audit.Finish(replayed_to);
//
// What a checkpoint must hold is made again from the replica, and compared field by field. Not
// thread-safe.
#ifndef QMARKET_REPLAY_AUDIT_CHECKPOINTS_H_
#define QMARKET_REPLAY_AUDIT_CHECKPOINTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/fingerprint.h"
#include "matcher/process/replica.h"
#include "replay/audit/report.h"

namespace qmarket {

class CheckpointAudit {
 public:
  // The report must outlive this. A log identity that is empty is any.
  CheckpointAudit(std::string dir, std::string log_identity, AuditReport& report);

  // Looks at every file alone.
  void ReadFiles();

  // The replica has applied all below `next_offset`, the last record of it with this hash.
  void Reach(std::uint64_t next_offset, const Replica& replica, const Digest& last_record_hash) {
    if (next_ < places_.size() && places_[next_] <= next_offset) {
      Compare(next_offset, replica, last_record_hash);
    }
  }

  // After the replay; `whole`: of all that the ledger has applied. A log ends at `log_end`.
  void Finish(bool whole, std::uint64_t log_end);

 private:
  void ReadState(const std::string& name);
  void ReadPast(const std::string& name);
  void Compare(std::uint64_t next_offset, const Replica& replica, const Digest& last_record_hash);
  void CompareState(std::uint64_t place, const Replica& replica, const Digest& last_record_hash);
  void ComparePast(std::uint64_t place, const Replica& replica);
  // The bytes of a file that was whole when it was looked at alone.
  [[nodiscard]] std::optional<std::string> Read(const std::string& name);
  void Find(const std::string& name, std::optional<std::uint64_t> offset, std::string what);

  // The first of them that does not hold.
  struct Part {
    const char* what;
    bool same;
  };

  void FindDifferent(const std::string& name, std::uint64_t place, const std::vector<Part>& parts);

  std::string dir_;
  std::string log_identity_;
  AuditReport& report_;
  AuditCheck& files_;
  AuditCheck& contents_;
  std::vector<std::uint64_t> states_;           // next offsets, of whole files
  std::map<std::uint64_t, Digest> pasts_;       // likewise, and their hashes
  std::vector<std::uint64_t> places_;           // where to look, lowest first
  std::size_t next_ = 0;                        // of them
  std::map<std::uint64_t, ReplicaMark> marks_;  // at the places passed
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_CHECKPOINTS_H_

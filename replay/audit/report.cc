#include "replay/audit/report.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace qmarket {

const char* AuditPartName(AuditPart part) {
  switch (part) {
    case AuditPart::kLog:
      return "log";
    case AuditPart::kStore:
      return "store";
    case AuditPart::kCheckpoint:
      return "checkpoint";
    case AuditPart::kOutcomesTopic:
      return "outcomes topic";
  }
  return "unknown";
}

void AuditCheck::Find(AuditFinding finding) {
  if (++findings_ > AuditReport::kMostFindings) return;
  const std::lock_guard lock(report_.mutex_);
  report_.findings_.push_back(std::move(finding));
}

void AuditReport::Note(std::string note) {
  const std::lock_guard lock(mutex_);
  notes_.push_back(std::move(note));
}

AuditCheck& AuditReport::Begin(std::string name, std::string unit) {
  return checks_.emplace_back(*this, std::move(name), std::move(unit));
}

bool AuditReport::verified() const {
  return std::ranges::all_of(checks_, [](const AuditCheck& check) { return check.ok(); });
}

std::uint64_t AuditReport::found() const {
  std::uint64_t found = 0;
  for (const AuditCheck& check : checks_)
    found += check.findings();
  return found;
}

}  // namespace qmarket

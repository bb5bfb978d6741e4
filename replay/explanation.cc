#include "replay/explanation.h"

#include "events/check.h"

namespace qmarket {

const char* VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRunning:
      return "running";
    case Verdict::kUnpaid:
      return "unpaid";
    case Verdict::kWaiting:
      return "waiting";
    case Verdict::kSetAside:
      return "set_aside";
    case Verdict::kPreempted:
      return "preempted";
    case Verdict::kTaken:
      return "taken";
    case Verdict::kEnded:
      return "ended";
    case Verdict::kPlacedSince:
      return "placed_since";
    case Verdict::kNotPlaced:
      return "not_placed";
  }
  QM_CHECK(false, "an unknown verdict");
}

const char* BindingName(Binding binding) {
  switch (binding) {
    case Binding::kNothing:
      return "nothing";
    case Binding::kNoSupply:
      return "no_supply";
    case Binding::kTooLarge:
      return "too_large";
    case Binding::kNoRate:
      return "no_rate";
    case Binding::kNoBudget:
      return "no_budget";
    case Binding::kLimit:
      return "limit";
    case Binding::kBudget:
      return "budget";
    case Binding::kQueue:
      return "queue";
    case Binding::kTie:
      return "tie";
    case Binding::kDisplaced:
      return "displaced";
    case Binding::kGaveUp:
      return "gave_up";
    case Binding::kNothingUnpaid:
      return "nothing_unpaid";
  }
  QM_CHECK(false, "an unknown binding constraint");
}

const char* LeverName(Lever lever) {
  switch (lever) {
    case Lever::kLimit:
      return "limit_price";
    case Lever::kIncome:
      return "income";
    case Lever::kSharedSupply:
      return "shared_supply";
    case Lever::kOwnedSupply:
      return "owned_supply";
  }
  QM_CHECK(false, "an unknown lever");
}

const char* AnswerName(Counterfactual::Answer answer) {
  switch (answer) {
    case Counterfactual::Answer::kFrom:
      return "from";
    case Counterfactual::Answer::kAny:
      return "any";
    case Counterfactual::Answer::kNone:
      return "none";
    case Counterfactual::Answer::kUnset:
      return "unset";
  }
  QM_CHECK(false, "an unknown answer");
}

}  // namespace qmarket

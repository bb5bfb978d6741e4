// Which event ids were seen, with what content (mechanism §6, §7: a repeated id is a duplicate).
//
// Ids are kept for ever, in the order of the log. Looked up by hash, never walked in hashed order.
#ifndef QMARKET_MATCHER_CORE_KNOWN_EVENTS_H_
#define QMARKET_MATCHER_CORE_KNOWN_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"

#include "matcher/core/input.h"

namespace qmarket {

struct KnownEvent {
  Fingerprint id{};
  Fingerprint content{};
  std::uint64_t offset = 0;  // where it was seen first
};

class KnownEvents {
 public:
  // Null where the id was not seen. Valid until the next Add.
  [[nodiscard]] const KnownEvent* Find(const Fingerprint& id) const {
    const auto found = places_.find(id);
    return found == places_.end() ? nullptr : &(*events_)[*found];
  }

  // Changes nothing where the id is known.
  void Add(const KnownEvent& event) {
    if (places_.contains(event.id)) return;
    events_->push_back(event);
    places_.insert(static_cast<std::uint32_t>(events_->size() - 1));
  }

  // In the order of the log.
  [[nodiscard]] absl::Span<const KnownEvent> events() const { return *events_; }

 private:
  using Events = std::vector<KnownEvent>;

  // An id is a cryptographic hash already.
  struct Hash {
    using is_transparent = void;
    const Events* events;

    std::size_t operator()(const Fingerprint& id) const {
      std::size_t hash = 0;
      std::memcpy(&hash, id.data(), sizeof(hash));
      return hash;
    }

    std::size_t operator()(std::uint32_t place) const { return (*this)((*events)[place].id); }
  };

  struct Equal {
    using is_transparent = void;
    const Events* events;

    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }

    bool operator()(std::uint32_t place, const Fingerprint& id) const {
      return (*events)[place].id == id;
    }
  };

  std::unique_ptr<Events> events_ = std::make_unique<Events>();
  absl::flat_hash_set<std::uint32_t, Hash, Equal> places_{0, Hash{events_.get()},
                                                          Equal{events_.get()}};
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_KNOWN_EVENTS_H_

// A vector indexed by one kind of id.
#ifndef QMARKET_MATCHER_CORE_ID_VECTOR_H_
#define QMARKET_MATCHER_CORE_ID_VECTOR_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "events/check.h"

namespace qmarket {

template <typename IdType, typename T>
class IdVector {
 public:
  T& operator[](IdType id) {
    QM_CHECK(id.index() < items_.size(), "an id beyond its table");
    return items_[id.index()];
  }

  const T& operator[](IdType id) const {
    QM_CHECK(id.index() < items_.size(), "an id beyond its table");
    return items_[id.index()];
  }

  // Adds an item and returns its id.
  IdType Add(T item) {
    items_.push_back(std::move(item));
    return IdAt(items_.size() - 1);
  }

  void Resize(std::size_t size) { items_.resize(size); }

  [[nodiscard]] std::size_t size() const { return items_.size(); }

  // The id of the item at a place, for loops.
  [[nodiscard]] static IdType IdAt(std::size_t index) {
    return IdType(static_cast<std::uint32_t>(index));
  }

  [[nodiscard]] auto begin() { return items_.begin(); }

  [[nodiscard]] auto end() { return items_.end(); }

  [[nodiscard]] auto begin() const { return items_.begin(); }

  [[nodiscard]] auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_ID_VECTOR_H_

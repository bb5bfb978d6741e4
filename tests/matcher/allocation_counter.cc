#include "tests/matcher/allocation_counter.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> allocation_count = 0;
std::atomic<std::uint64_t> allocation_bytes = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocation_count;
  allocation_bytes += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace qmarket {

Allocations AllocationsSoFar() {
  return {.count = allocation_count, .bytes = allocation_bytes};
}

}  // namespace qmarket

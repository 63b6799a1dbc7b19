#include "locus/tensor/fenced/fenced.h"

#include <cstring>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "locus/tensor/fenced/arena.h"

namespace locus::fenced {
namespace {

class Queue {
 public:
  void add(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }
  void finish() {
    const std::lock_guard lock(mutex_);
    ++waits_;
    const std::vector<std::function<void()>> all = std::exchange(work_, {});
    if (all.empty()) return;
    const OpenArena open;
    for (const std::function<void()>& work : all) work();
  }
  int64_t waits() {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> work_;
  int64_t waits_ = 0;
};

Queue& queue() {
  static Queue& one = *new Queue;
  return one;
}

void fill(View view, double value) {
  hand_over([to = unfenced(view), value] { locus::memory(Device::cpu).fill(to, value); });
}

void copy(View to, ConstView from) {
  hand_over([to = unfenced(to), from = unfenced(from)] { locus::memory(Device::cpu).copy(to, from); });
}

void upload(View to, ConstView from) {
  std::vector<std::byte> bytes(static_cast<size_t>(from.numel() * size_of(from.dtype)));
  locus::memory(Device::cpu)
      .copy({bytes.data(), from.dtype, Device::cpu, from.rows, from.cols, from.cols}, from);
  hand_over([to = unfenced(to), bytes = std::move(bytes)] {
    locus::memory(Device::cpu).copy(to, {bytes.data(), to.dtype, Device::cpu, to.rows, to.cols, to.cols});
  });
}

void download(View to, ConstView from) {
  hand_over([to, from = unfenced(from)] { locus::memory(Device::cpu).copy(to, from); });
  wait();
}

}  // namespace

const DeviceMemory& memory() {
  static constexpr DeviceMemory the_memory = {.take = take,
                                              .give = give,
                                              .available = available,
                                              .fill = fill,
                                              .copy = copy,
                                              .upload = upload,
                                              .download = download};
  return the_memory;
}

void hand_over(std::function<void()> work) { queue().add(std::move(work)); }
void wait() { queue().finish(); }
int64_t waits() { return queue().waits(); }

}  // namespace locus::fenced

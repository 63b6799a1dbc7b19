#include "locus/serve/request_threads.h"

#include <system_error>

namespace locus::serve {

RequestThreads::~RequestThreads() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void RequestThreads::run(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(work));
  if (waiting_.size() > idle_) {
    try {
      threads_.emplace_back([this] { loop(); });
    } catch (const std::system_error&) {  // no more threads are allowed
      if (threads_.empty()) {
        waiting_.pop_back();
        throw;
      }
    }
  }
  wake_.notify_one();
}

void RequestThreads::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace locus::serve

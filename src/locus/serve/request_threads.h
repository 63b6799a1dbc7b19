// Threads that tokenize the texts of requests and wait for their results. A request has one thread until its
// answer is complete.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace locus::serve {

class RequestThreads {
 public:
  RequestThreads() = default;
  ~RequestThreads();  // waits for all work

  // Runs `work` on an idle thread, or on a new one. Work that finds no thread waits for one.
  void run(std::function<void()> work);

 private:
  void loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace locus::serve

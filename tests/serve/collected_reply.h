// A service without a network: replies that collect their answer.
#pragma once

#include <gtest/gtest.h>
#include <simdjson.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>

#include "locus/base/json.h"
#include "locus/serve/refused.h"
#include "locus/serve/service.h"

namespace locus::serve {

class CollectedReply final : public Reply {
 public:
  void send(HttpAnswer answer) override {
    begin(std::move(answer));
    end();
  }
  void begin(HttpAnswer head) override {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(head);
  }
  void write(std::string piece) override {
    const std::lock_guard lock(mutex_);
    answer_.body += piece;
    ++pieces_;
    if (leave_after_ > 0 && pieces_ >= leave_after_) gone_ = true;
  }
  void end() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
  }
  bool gone() const override { return gone_; }

  void leave() { gone_ = true; }
  void leave_after(int pieces) { leave_after_ = pieces; }  // of a stream
  int pieces() const { return pieces_; }
  bool ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  HttpAnswer wait() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(60), [this] { return ended_; })) << "no answer";
    return answer_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  HttpAnswer answer_;
  bool ended_ = false;
  std::atomic<int> pieces_{0}, leave_after_{0};
  std::atomic<bool> gone_{false};
};

// A request whose answer may come later.
inline std::shared_ptr<CollectedReply> start(Service& service, const std::string& path,
                                             const std::string& body, const std::string& method = "POST") {
  auto reply = std::make_shared<CollectedReply>();
  HttpRequest request{.method = method, .path = path};
  if (method == "POST") request.headers["content-type"] = "application/json";
  request.body = body;
  service.handle(std::move(request), reply);
  return reply;
}

inline HttpAnswer ask(Service& service, const std::string& path, const std::string& body) {
  return start(service, path, body)->wait();
}
inline HttpAnswer get(Service& service, const std::string& path) {
  return start(service, path, "", "GET")->wait();
}

// A JSON answer with its parser.
class Parsed {
 public:
  explicit Parsed(const std::string& body) {
    EXPECT_EQ(parser_.parse(body).get(root_), simdjson::SUCCESS) << body;
  }
  simdjson::dom::element at(std::string_view pointer) const {
    simdjson::dom::element found = root_;
    EXPECT_EQ(root_.at_pointer(pointer).get(found), simdjson::SUCCESS) << pointer;
    return found;
  }
  std::string text(std::string_view pointer) const {
    std::string_view text;
    EXPECT_EQ(at(pointer).get(text), simdjson::SUCCESS) << pointer;
    return std::string(text);
  }
  double number(std::string_view pointer) const {
    double number = 0;
    EXPECT_EQ(at(pointer).get(number), simdjson::SUCCESS) << pointer;
    return number;
  }
  size_t count(std::string_view pointer) const { return at(pointer).get_array().value().size(); }
  std::vector<float> numbers(std::string_view pointer) const {
    std::vector<float> numbers;
    const simdjson::dom::array items = at(pointer).get_array().value();
    for (const simdjson::dom::element item : items) {
      numbers.push_back(static_cast<float>(item.get_double().value()));
    }
    return numbers;
  }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

// Expects a refusal with a status and OpenAI's code, whose message names the values.
inline void expect_refused(Service& service, const std::string& path, const std::string& body, int status,
                           std::initializer_list<const char*> values) {
  const HttpAnswer answer = ask(service, path, body);
  EXPECT_EQ(answer.status, status) << path << " " << body << ": " << answer.body;
  for (const char* value : values) {
    EXPECT_NE(answer.body.find(value), std::string::npos) << answer.body << "\nmissing: " << value;
  }
}

}  // namespace locus::serve

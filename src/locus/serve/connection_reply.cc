#include "locus/serve/connection_reply.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "locus/serve/error_answer.h"

namespace locus::serve {

template <class F>
void ConnectionReply::post(F work) {
  boost::asio::post(*target_.io, [weak = target_.connection, turn = target_.turn, work = std::move(work)] {
    if (const auto connection = weak.lock()) connection->safely([&] { work(*connection, turn); });
  });
}

void ConnectionReply::send(HttpAnswer answer) {
  answered_ = true;
  post([answer = std::move(answer)](Connection& to, uint64_t turn) { to.send(turn, answer); });
}

void ConnectionReply::begin(HttpAnswer head) {
  begun_ = true;
  post([head = std::move(head)](Connection& to, uint64_t turn) { to.begin(turn, head); });
}

void ConnectionReply::write(std::string piece) {
  post([piece = std::move(piece)](Connection& to, uint64_t turn) { to.write(turn, piece); });
}

void ConnectionReply::end() {
  answered_ = true;
  post([](Connection& to, uint64_t turn) { to.end(turn); });
}

// A handler that forgets a request would leave its client waiting.
ConnectionReply::~ConnectionReply() {
  if (answered_) return;
  try {
    if (begun_) {
      end();
    } else {
      send(
          error_answer(target_.path, Error(Fault::bug, "the handler dropped the request without an answer")));
    }
  } catch (...) {  // out of memory: the deadline of the connection ends it
  }
}

}  // namespace locus::serve

#include "locus/dist/crew.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus::dist {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kMostCrewBytes = uint64_t{1} << 36;
constexpr milliseconds kBetweenLooks{100};  // for a request to stop

// From rank 0: a job, or that there are no more. To rank 0: an answer, a request to stop, or that the rank
// has received the end.
enum class CrewCall : uint32_t { job = 1, end, answer, stop };

struct CrewHeader {
  CrewCall kind = CrewCall::job;
  int32_t number = 0;  // of `end` and `stop`
  uint64_t bytes = 0;  // that follow
};
static_assert(sizeof(CrewHeader) == 16);

struct CrewMessage {
  CrewHeader header;
  std::vector<std::byte> bytes;
};

void send_message(Transport& transport, int to, CrewCall kind, int number, ConstBytes bytes = {}) {
  const CrewHeader header{kind, number, bytes.size()};
  transport.send(to, std::as_bytes(std::span(&header, 1)));
  if (!bytes.empty()) transport.send(to, bytes);
}

CrewMessage receive_message(Transport& transport, int from) {
  CrewMessage message;
  transport.receive(from, std::as_writable_bytes(std::span(&message.header, 1)));
  if (message.header.bytes > kMostCrewBytes) {
    fail(Fault::peer, "rank {} sent a message of {} bytes, expected at most {}", from, message.header.bytes,
         kMostCrewBytes);
  }
  message.bytes.resize(message.header.bytes);
  if (!message.bytes.empty()) transport.receive(from, message.bytes);
  return message;
}

[[noreturn]] void refuse_call(int rank, CrewCall kind) {
  fail(Fault::peer, "rank {} sent a message of kind {} where none is expected", rank,
       static_cast<uint32_t>(kind));
}

struct GivenUp {};  // a job

}  // namespace

Crew::Crew(Transport& transport, StopAsked stop_asked)
    : transport_(transport), stop_asked_(std::move(stop_asked)), busy_(transport.size()) {}

std::optional<int> Crew::free_rank() const {
  for (int rank = 1; rank < transport_.size(); ++rank) {
    if (!busy_[rank]) return rank;
  }
  return std::nullopt;
}

bool Crew::is_busy() const { return std::ranges::count(busy_, true) > 0; }

void Crew::give(int rank, ConstBytes job) {
  send_message(transport_, rank, CrewCall::job, 0, job);
  busy_[rank] = true;
}

std::optional<Crew::Answer> Crew::take(milliseconds wait) {
  if (const int number = stop_asked_ ? stop_asked_() : 0; number != 0) throw Stop{number};
  const std::optional<int> from = transport_.sender(wait);
  if (!from) return std::nullopt;
  CrewMessage message = receive_message(transport_, *from);
  if (message.header.kind == CrewCall::stop) throw Stop{message.header.number};
  if (message.header.kind != CrewCall::answer || !busy_[*from]) refuse_call(*from, message.header.kind);
  busy_[*from] = false;
  return Answer{*from, std::move(message.bytes)};
}

std::optional<Crew::Answer> Crew::arrived() { return take(milliseconds(0)); }

Crew::Answer Crew::wait() {
  while (true) {
    if (std::optional<Answer> answer = take(kBetweenLooks)) return std::move(*answer);
  }
}

// A rank may have sent an answer or a request to stop before it received the end.
std::vector<Crew::Answer> Crew::dismiss(int number) {
  std::vector<Answer> answers;
  for (int rank = 1; rank < transport_.size(); ++rank) send_message(transport_, rank, CrewCall::end, number);
  for (int rank = 1; rank < transport_.size(); ++rank) {
    for (CrewCall kind = CrewCall::answer; kind != CrewCall::end;) {
      CrewMessage message = receive_message(transport_, rank);
      kind = message.header.kind;
      if (kind == CrewCall::job) refuse_call(rank, kind);
      if (kind == CrewCall::answer) answers.push_back({rank, std::move(message.bytes)});
    }
  }
  return answers;
}

int serve(Transport& transport, const DoJob& do_job, const StopAsked& stop_asked) {
  bool has_asked = false;
  const auto look = [&] {  // a rank asks once, and waits for the end
    const int number = stop_asked && !has_asked ? stop_asked() : 0;
    if (number == 0) return;
    has_asked = true;
    send_message(transport, 0, CrewCall::stop, number);
  };
  const Pause pause = [&] {
    look();
    if (has_asked || transport.sender(milliseconds(0))) throw GivenUp();
  };
  while (true) {
    for (look(); !transport.sender(kBetweenLooks);) look();
    const CrewMessage message = receive_message(transport, 0);
    if (message.header.kind == CrewCall::end) {
      send_message(transport, 0, CrewCall::end, 0);
      return message.header.number;
    }
    if (message.header.kind != CrewCall::job) refuse_call(0, message.header.kind);
    if (has_asked) continue;
    try {
      send_message(transport, 0, CrewCall::answer, 0, do_job(message.bytes, pause));
    } catch (const GivenUp&) {
    }
  }
}

}  // namespace locus::dist

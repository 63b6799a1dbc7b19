// Generation of sequences of several requests, which join and leave between tokens.
#include <algorithm>

#include "locus/serve/queue.h"

namespace locus::serve {
namespace {

// Before the first new token.
int64_t tokens_of(const WrittenSequence& sequence) {
  return std::ssize(sequence.prompt) + std::ssize(sequence.text);
}

}  // namespace

void Ticket::write(const Model& model, std::span<const WrittenSequence> sequences, const TakeToken& take) {
  Queue::WriteJob job{{*this}, model, sequences, take};
  queue_.write(job);
}

int64_t Queue::WriteJob::tokens_left() const {
  int64_t tokens = 0;
  for (size_t i = next; i < sequences.size(); ++i) tokens += tokens_of(sequences[i]);
  return tokens;
}

void Queue::write(WriteJob& job) {
  if (job.sequences.empty()) return;
  job.left = job.sequences.size();
  enter(job, writes_);
}

// The sequences that join now, one of each job in turn. Their prompts are computed in the next step, which
// must not be much longer than a batch. Called with the lock.
std::vector<Queue::Sequence> Queue::next_sequences() {
  std::vector<Sequence> joining;
  int64_t prompts = 0;
  while (!writes_.empty()) {
    WriteJob* const job = writes_.front();
    const int64_t tokens = tokens_of(job->sequences[job->next]);
    const bool alone = sequences_.empty() && joining.empty();
    if (!alone && sequence_tokens_ + tokens > limits_.cache_tokens) break;
    if (!joining.empty() && prompts + tokens > limits_.batch_tokens) break;
    start(*job);
    joining.push_back({job, job->next++, tokens});
    prompts += tokens;
    sequence_tokens_ += tokens;
    waiting_tokens_ -= tokens;
    writes_.pop_front();
    if (job->next < job->sequences.size()) writes_.push_back(job);
  }
  return joining;
}

void Queue::join(std::span<const Sequence> joining) {
  for (const Sequence& one : joining) {
    if (!generation_) generation_.emplace(one.job->model);
    const WrittenSequence& sequence = one.job->sequences[one.index];
    try {
      sequences_.emplace(generation_->add(sequence.prompt, sequence.options, sequence.text), one);
    } catch (...) {
      sequence_tokens_ -= one.tokens;
      one.job->failure = std::current_exception();
      ending_.push_back(one.job);
    }
  }
}

void Queue::leave(int64_t id) {
  const auto found = sequences_.find(id);
  sequence_tokens_ -= found->second.tokens;
  if (--found->second.job->left == 0) ending_.push_back(found->second.job);
  sequences_.erase(found);
}

void Queue::take_token(const GeneratedToken& fresh) {
  Sequence& sequence = sequences_.at(fresh.id);
  ++sequence.tokens;
  ++sequence_tokens_;
  if (!std::exchange(sequence.job->began, true)) {
    metrics_.observe("locus_first_token_seconds",
                     std::chrono::duration<double>(Clock::now() - sequence.job->arrived).count());
  }
  bool goes_on = false;
  try {
    goes_on = sequence.job->take(sequence.index, fresh.token);
  } catch (...) {
    sequence.job->failure = std::current_exception();
    ending_.push_back(sequence.job);
  }
  metrics_.count("locus_tokens_total", R"(kind="generated")");
  if (goes_on && fresh.finish == Finish::none) return;
  if (fresh.finish == Finish::none) generation_->remove(fresh.id);
  leave(fresh.id);
}

void Queue::step() {
  std::vector<GeneratedToken> fresh;
  try {
    fresh = generation_->step();
  } catch (const SequenceError& error) {
    const Sequence& sequence = sequences_.at(error.id());
    const std::string place = fmt::format("answer {}", sequence.index + 1);
    sequence.job->failure = std::make_exception_ptr(model_error(error.cause()).at(place));
    ending_.push_back(sequence.job);
    return;
  } catch (...) {  // it is not known whose fault it is
    for (const auto& [id, sequence] : sequences_) {
      sequence.job->failure = std::current_exception();
      ending_.push_back(sequence.job);
    }
    return;
  }
  for (const GeneratedToken& token : fresh) take_token(token);
}

// Ends jobs that are complete or have failed, with all of their sequences. Called with the lock.
void Queue::finish_written() {
  std::ranges::sort(ending_);
  const auto repeated = std::ranges::unique(ending_);
  ending_.erase(repeated.begin(), repeated.end());
  for (WriteJob* job : std::exchange(ending_, {})) {
    std::erase_if(sequences_, [&](const auto& entry) {
      if (entry.second.job != job) return false;
      generation_->remove(entry.first);
      sequence_tokens_ -= entry.second.tokens;
      return true;
    });
    if (std::erase(writes_, job) > 0) waiting_tokens_ -= job->tokens_left();
    finish(*job);
  }
}

bool Queue::write_step(Lock& lock) {
  const std::vector<Sequence> joining = next_sequences();
  if (joining.empty() && sequences_.empty()) return false;
  lock.unlock();
  double amount = 1;
  for (const Sequence& one : joining) amount += amount_of(static_cast<size_t>(one.tokens));
  watchdog_.begin(joining.empty() ? Watchdog::Work::step : Watchdog::Work::prompts, amount);
  join(joining);
  if (!sequences_.empty()) step();
  watchdog_.end();
  lock.lock();
  finish_written();
  return true;
}

}  // namespace locus::serve

// Batches of texts of several requests.
#include <algorithm>

#include "locus/serve/queue.h"

namespace locus::serve {

void Ticket::read(const TextModel& model, std::span<const Encoding> encodings, const TextPass& pass,
                  const TakeRows& take, std::span<std::optional<Error>> errors) {
  Queue::ReadJob job{{*this}, model, encodings, pass, take, errors};
  queue_.read(job);
}

int64_t Queue::ReadJob::tokens_left() const {
  int64_t tokens = 0;
  for (size_t i = next; i < texts.size(); ++i) tokens += std::ssize(encodings[texts[i]].ids);
  return tokens;
}

void Queue::read(ReadJob& job) {
  for (size_t i = 0; i < job.encodings.size(); ++i) {
    if (job.encodings[i].size() > 0) job.texts.push_back(i);
  }
  if (job.texts.empty()) return;
  job.left = job.texts.size();
  enter(job, reads_);
}

// One text of each job in turn. Called with the lock.
std::vector<Queue::Text> Queue::next_batch() {
  std::vector<Text> batch;
  int64_t tokens = 0;
  for (size_t skipped = 0; skipped < reads_.size();) {
    ReadJob* const job = reads_.front();
    const size_t text = job->texts[job->next];
    const auto size = static_cast<int64_t>(job->encodings[text].size());
    const bool fits_pass = batch.empty() || job->pass == batch.front().job->pass;
    if (fits_pass && !batch.empty() && tokens + size > limits_.batch_tokens)
      break;  // it begins the next batch
    reads_.pop_front();
    if (fits_pass) {
      start(*job);
      batch.push_back({job, text});
      tokens += size;
      ++job->next;
    }
    skipped = fits_pass ? 0 : skipped + 1;
    if (job->next < job->texts.size()) reads_.push_back(job);
  }
  waiting_tokens_ -= tokens;
  if (!batch.empty()) {
    metrics_.observe("locus_batch_tokens", static_cast<double>(tokens));
    metrics_.observe("locus_batch_sequences", static_cast<double>(batch.size()));
  }
  return batch;
}

// If the pass fails, each text is computed alone, so that a text never fails because of another one.
void Queue::compute(std::span<const Text> batch) {
  std::vector<const Encoding*> encodings;
  for (const Text& text : batch) encodings.push_back(&text.job->encodings[text.index]);
  TextRows rows;
  try {
    rows = batch.front().job->pass(packed(batch.front().job->model.blueprint(), encodings));
  } catch (...) {
    if (batch.size() == 1) {
      batch.front().job->failure = std::current_exception();
    } else {
      for (size_t i = 0; i < batch.size(); ++i) compute(batch.subspan(i, 1));
    }
    return;
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    ReadJob& job = *batch[i].job;
    try {
      const auto error = take_text(rows, i, batch[i].index, job.take);
      if (error) job.errors[batch[i].index] = model_error(*error);
    } catch (...) {
      job.failure = std::current_exception();
    }
  }
}

bool Queue::read_batch(Lock& lock) {
  const std::vector<Text> batch = next_batch();
  if (batch.empty()) return false;
  lock.unlock();
  const Clock::time_point begin = Clock::now();
  double amount = 0;
  for (const Text& text : batch) amount += amount_of(text.job->encodings[text.index].size());
  watchdog_.begin(Watchdog::Work::texts, amount);
  compute(batch);
  watchdog_.end();
  metrics_.observe("locus_compute_seconds", std::chrono::duration<double>(Clock::now() - begin).count());
  lock.lock();
  std::vector<ReadJob*> ended;
  for (const Text& text : batch) {
    if (--text.job->left == 0 || (text.job->failure && std::ranges::count(ended, text.job) == 0)) {
      ended.push_back(text.job);
    }
  }
  for (ReadJob* job : ended) {
    if (std::erase(reads_, job) > 0) waiting_tokens_ -= job->tokens_left();  // it failed before its last text
    finish(*job);
  }
  return true;
}

}  // namespace locus::serve

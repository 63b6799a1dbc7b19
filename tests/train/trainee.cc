// Trains the trainee in a folder: trainee DIR STEPS THREADS [kill|fail|message NUMBER]. The process is
// killed, or the disk fails, at file operation NUMBER, or it is killed before it sends message NUMBER. STEPS
// "9+" continues the run in the folder with this number of steps, "9+RUN" that in the folder RUN.
//
// The environment says which rank it is; only rank 0 uses DIR. TRAINEE_SHARDS is the number of shards.
#include "tests/train/trainee.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "locus/base/parallel.h"
#include "locus/dist/engine.h"
#include "tests/file_faults.h"

namespace {

using namespace locus;

struct Interruption {
  std::string kind;
  int64_t number = 0;
};

std::unique_ptr<dist::Transport> open_ranks(const Interruption& fault) {
  const dist::Identity identity = dist::find_identity({}, dist::process_environment());
  dist::TcpOptions options{.start_timeout = std::chrono::seconds(30),
                           .peer_timeout = std::chrono::seconds(3)};
  if (fault.kind == "message") {
    options.before_message = [number = fault.number](int64_t message) {
      if (message == number) std::raise(SIGKILL);
    };
  }
  return dist::open_transport(dist::engine_for(identity), identity, {.tcp = options});
}

std::optional<Continuation> continuation_of(const std::string& target) {
  const size_t plus = target.find('+');
  if (plus == std::string::npos) return std::nullopt;
  const std::filesystem::path run = target.substr(plus + 1);
  if (run.empty()) return Continuation();
  return Continuation{.checkpoint = run / "last", .metrics = run / "metrics.jsonl"};
}

void run(char** words, const Interruption& fault) {
  set_threads(std::atoi(words[3]));
  const auto ranks = open_ranks(fault);
  testing::Trainee trainee;
  std::optional<RunFolder> folder;
  if (ranks->rank() == 0) folder.emplace(words[1]);
  const std::string steps = std::to_string(std::atol(words[2]));
  Settings config;
  config.set("train.steps", steps);
  TrainSettings settings = testing::trainee_settings(std::stol(steps));
  if (const char* const shards = std::getenv("TRAINEE_SHARDS")) settings.shards = std::atol(shards);
  if (fault.kind == "kill" || fault.kind == "fail") testing::plan_fault(fault.kind.c_str(), fault.number);
  train({.objective = trainee,
         .parameters = trainee.parameters,
         .folder = folder ? &*folder : nullptr,
         .settings = settings,
         .config = config,
         .files = {{"words.txt", "one\ntwo\n"}},
         .continuation = continuation_of(words[2]),
         .hooks = {.start =
                       [&](int64_t) {
                         if (ranks->size() > 1) std::puts("started"), std::fflush(stdout);
                       },
                   .note = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }},
         .ranks = ranks.get()});
}

}  // namespace

int main(int count, char** words) {
  if (count != 4 && count != 6) return 2;
  try {
    run(words, count == 6 ? Interruption{words[4], std::atol(words[5])} : Interruption{});
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.fault());
  }
  return 0;
}

// Trains the trainee in a folder: trainee DIR STEPS THREADS [kill|fail NUMBER]. The process is killed, or the
// disk fails, at file operation NUMBER.
#include "tests/train/trainee.h"

#include <cstdio>
#include <cstdlib>

#include "locus/base/parallel.h"
#include "tests/file_faults.h"

int main(int count, char** words) {
  using namespace locus;
  if (count != 4 && count != 6) return 2;
  try {
    set_threads(std::atoi(words[3]));
    testing::Trainee trainee;
    RunFolder folder(words[1]);
    Settings config;
    config.set("train.steps", words[2]);
    if (count == 6) testing::plan_fault(words[4], std::atol(words[5]));
    train({.objective = trainee,
           .parameters = trainee.parameters,
           .folder = folder,
           .settings = testing::trainee_settings(std::atol(words[2])),
           .config = config,
           .files = {{"words.txt", "one\ntwo\n"}},
           .hooks = {.note = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }}});
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.fault());
  }
  return 0;
}

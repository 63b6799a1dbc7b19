// Runs the tiny study in a folder and prints its results: student DIR [kill|fail NUMBER], with a fault at
// that file operation.
#include <cstdio>

#include "tests/file_faults.h"
#include "tests/study/tiny_study.h"

int main(int count, char** words) {
  using namespace locus;
  if (count != 2 && count != 4) return 2;
  try {
    study::Study study = study::tiny();
    study.seeds = 1;
    if (count == 4) testing::plan_fault(words[2], std::atol(words[3]));
    std::fputs(study::scores(study::run(study, words[1], {})).c_str(), stdout);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.fault());
  }
  return 0;
}

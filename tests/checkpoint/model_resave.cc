// The Locus side of the round trip in tools/parity.py: model_resave DIR OUT opens a model folder and saves
// it.
#include <cstdio>

#include "locus/checkpoint/model_folder.h"

int main(int count, char** words) {
  if (count != 3) return 2;
  try {
    locus::save_model(locus::open_model(words[1]), words[2]);
  } catch (const locus::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}

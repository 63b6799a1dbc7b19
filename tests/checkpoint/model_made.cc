// The Locus side of tools/parity.py for models made by Locus: model_made OUT NAME=VALUE.. makes a model from
// a blueprint and saves it as a folder.
#include <cstdio>

#include "locus/checkpoint/model_folder.h"

int main(int count, char** words) {
  if (count < 2) return 2;
  try {
    locus::OptionValues values;
    for (int i = 2; i < count; ++i) {
      const std::string word = words[i];
      const size_t equals = word.find('=');
      if (equals == std::string::npos) return 2;
      values.emplace(word.substr(0, equals), word.substr(equals + 1));
    }
    locus::save_model(locus::Model(locus::blueprint_of("model_made", values)), words[1]);
  } catch (const locus::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}

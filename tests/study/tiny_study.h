// A fast study: three schemes, one task, models of a few hundred parameters.
#pragma once

#include "locus/base/json.h"
#include "locus/study/study.h"

namespace locus::study {

inline Study tiny() {
  Study study;
  study.tasks = "language";
  study.schemes = "none, learned, t5";
  study.conditions = {.length = 8,
                      .lengths = "8, 12",
                      .steps = 3,
                      .batch_size = 2,
                      .width = 8,
                      .layers = 1,
                      .heads = 2,
                      .hidden = 8,
                      .test_tokens = 24};
  return study;
}

// All results of a study that do not depend on the clock.
inline std::string scores(const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) {
    text += cell.name.text();
    for (const Row& row : cell.rows) {
      text += " / " + row.variant;
      for (const Score& score : row.scores)
        text += fmt::format(" {}={}", score.length, json::exact(score.value));
      for (const PositionLoss& bin : row.by_position) text += " " + position_json(bin);
    }
    text += fmt::format(" loss {}\n", json::exact(cell.loss));
  }
  return text;
}

}  // namespace locus::study

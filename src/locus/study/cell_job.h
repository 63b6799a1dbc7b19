// A cell to compute, and its result, as bytes for another process.
#pragma once

#include "locus/dist/transport.h"
#include "locus/study/study.h"

namespace locus::study {

struct CellJob {
  CellName name;
  // Of a trained cell that lacks test lengths. Without them, the cell is trained.
  std::optional<Cell> known = {};
  std::unique_ptr<Model> model = {};
};

// The cell with all test lengths, and its model if it was trained.
Finished compute(const Study& study, CellJob job, const CellProgress& progress);

std::vector<std::byte> encode(const CellJob& job);
CellJob decode_job(const Study& study, dist::ConstBytes bytes);

// Only the models of the first seed, which the study keeps, are sent.
std::vector<std::byte> encode(const Finished& finished);
// Throws Fault::peer if the bytes are not those of this cell. `sender` names the process in errors.
Finished decode_finished(const Study& study, const CellName& name, dist::ConstBytes bytes,
                         const std::string& sender);

}  // namespace locus::study

#include "locus/study/cell_job.h"

#include <cstring>

#include "locus/base/parse.h"
#include "locus/dist/parts.h"

namespace locus::study {
namespace {

// The parameters in their order, as f32.
std::string numbers_of(const Model& model) {
  std::string bytes;
  for (const NamedParameter& one : model.parameters().all()) {
    const Tensor value = one.var.value().on_host();
    const auto numbers = std::as_bytes(value.data<float>());
    bytes.append(dist::text_of(numbers));
  }
  return bytes;
}

std::unique_ptr<Model> model_of(const Study& study, const CellName& name, std::string_view bytes) {
  if (bytes.empty()) return nullptr;
  const Blueprint plan = blueprint(study.conditions, study.task_named(name.task), name.scheme);
  auto model = std::make_unique<Model>(plan, Model::Options{.seed = std::nullopt});
  const size_t expected = sizeof(float) * static_cast<size_t>(model->parameters().numel());
  require(bytes.size() == expected, Code::damaged_file, "model of {}: got {} bytes, expected {}", name.text(),
          bytes.size(), expected);
  for (const NamedParameter& one : model->parameters().all()) {
    const Tensor value = one.var.value();
    const auto numbers = std::as_writable_bytes(value.data<float>());
    std::memcpy(numbers.data(), bytes.data(), numbers.size());
    bytes.remove_prefix(numbers.size());
  }
  return model;
}

Cell cell_of(std::string_view json) { return read_cell(json::Document(json, "cell")); }

}  // namespace

Finished compute(const Study& study, CellJob job, const CellProgress& progress) {
  const Task& task = study.task_named(job.name.task);
  if (!job.known) return run_cell(study.conditions, task, job.name, progress);
  progress(0);
  job.known->rows = tested(*job.model, study.conditions, task, job.name);
  return {std::move(*job.known), nullptr};
}

std::vector<std::byte> encode(const CellJob& job) {
  return dist::pack({job.name.task, job.name.scheme, std::to_string(job.name.seed),
                     job.known ? cell_json(*job.known) : "", job.model ? numbers_of(*job.model) : ""});
}

CellJob decode_job(const Study& study, dist::ConstBytes bytes) {
  const auto parts = dist::unpack(bytes, 5, "job");
  CellJob job{.name = {std::string(parts[0]), std::string(parts[1]), parse<uint64_t>(parts[2]).value_or(0)}};
  if (!parts[3].empty()) job.known = cell_of(parts[3]);
  job.model = model_of(study, job.name, parts[4]);
  return job;
}

std::vector<std::byte> encode(const Finished& finished) {
  const bool keeps = finished.model && finished.cell.name.seed == 1;
  return dist::pack({cell_json(finished.cell), keeps ? numbers_of(*finished.model) : ""});
}

Finished decode_finished(const Study& study, const CellName& name, dist::ConstBytes bytes,
                         const std::string& sender) {
  try {
    const auto parts = dist::unpack(bytes, 2, "result");
    Finished finished{cell_of(parts[0]), model_of(study, name, parts[1])};
    check_cell(study, name, finished.cell, sender);
    return finished;
  } catch (const Error& error) {
    fail(Fault::peer, "{} sent a result that cannot be used: {}", sender, error.message());
  }
}

}  // namespace locus::study

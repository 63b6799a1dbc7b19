// The settings of a Service.
#pragma once

#include <filesystem>
#include <string>

#include "locus/serve/queue.h"
#include "locus/tensor/tensor.h"

namespace locus::serve {

struct ServiceOptions {
  std::filesystem::path folder;
  std::string name;            // of the model in answers; empty: the name of the folder
  DType weights = DType::f32;  // or bf16
  Device device = Device::cpu;
  QueueLimits queue = {};
  size_t max_requests = 512;  // that have no answer yet
  size_t max_inputs = 2048;   // texts of a request
  bool token_ids = true;      // false: token ids instead of texts are refused
  bool strict_model = false;  // requests with the name of another model are refused
  bool truncate = false;      // texts that are too long are cut, unless a request says otherwise
};

}  // namespace locus::serve

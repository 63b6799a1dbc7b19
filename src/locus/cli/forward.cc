// locus forward: computes a model's outputs for inputs from a file, like transformers does.
#include <fmt/format.h>

#include <memory>

#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_command.h"
#include "locus/run/trained_model.h"

namespace locus::cli {
namespace {

std::vector<std::filesystem::path> files_read(const TrainedModel& trained) {
  if (trained.hub() == nullptr) return entries_of(trained.checkpoint());
  std::vector<std::filesystem::path> files = {trained.hub()->config.path()};
  const WeightFiles weights(trained.folder());
  for (const SafetensorsFile& file : weights.files()) files.push_back(file.path());
  return files;
}

// Refuses to overwrite a file that the command reads.
void expect_not_read(const std::filesystem::path& out, const std::filesystem::path& file) {
  std::error_code unknown;  // set if `out` does not exist yet
  if (!std::filesystem::equivalent(out, file, unknown)) return;
  fail(Fault::usage, "forward: --out {} is an input file and would be overwritten; choose another name",
       quote(out.string()));
}

}  // namespace

void add_forward(CLI::App& program) {
  Command command(program, "forward", "Run a model on inputs from a file");
  command.footer(
      "Input: a JSON object of lists, with the names of transformers: input_ids, and optionally\n"
      "attention_mask, token_type_ids, position_ids, decoder_input_ids, labels, start_positions,\n"
      "end_positions.\n"
      "Output: a safetensors file with last_hidden_state; logits, or start_logits and end_logits; loss if\n"
      "labels are given; and with --gradients grad.NAME for every parameter.\n"
      "Gradients of a run have the names of its model.safetensors.\n\n"
      "Example:\n  locus forward models/all-MiniLM-L6-v2 --input x.json --out y.safetensors");
  struct Request {
    std::string folder, input, out;
    bool gradients = false;
    DType weights = DType::f32;
    Device device = Device::cpu;
  };
  auto request = std::make_shared<Request>();
  command.option("DIR", request->folder, "A Hugging Face model folder, a run, or a checkpoint of a run")
      .required();
  command.option("--input", request->input, "The JSON file with the inputs").required();
  command.option("--out", request->out, "The safetensors file to write").required();
  command.flag("--gradients", request->gradients,
               "Also compute the gradient of the loss for every parameter");
  add_dtype(command, request->weights);
  add_device(command, request->device);
  command.callback([request] {
    const ForwardInputs inputs = read_inputs(request->input);
    if (request->gradients && request->weights != DType::f32) {
      fail(Fault::usage, "forward: --gradients cannot be combined with --dtype bf16; gradients need f32");
    }
    TrainedModel trained(request->folder,
                         {.weights = request->weights, .device = request->device, .for_text = false});
    note_model(trained);
    expect_not_read(request->out, request->input);
    for (const std::filesystem::path& file : files_read(trained)) expect_not_read(request->out, file);
    write_safetensors(request->out, forward(forward_model(trained), inputs, request->gradients));
  });
}

}  // namespace locus::cli

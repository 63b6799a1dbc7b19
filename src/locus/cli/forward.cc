// locus forward: a model folder's outputs for inputs from a file, as transformers would give them.
#include <fmt/format.h>

#include <memory>

#include "locus/base/quote.h"
#include "locus/checkpoint/forward.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_command.h"

namespace locus::cli {
namespace {

// Outputs would take the place of what they are computed from.
void expect_not_read(const std::filesystem::path& out, const std::filesystem::path& file) {
  std::error_code unknown;  // a name that is free is none of the files
  if (!std::filesystem::equivalent(out, file, unknown)) return;
  fail(Fault::usage, "forward: --out {} is a file that is read; give another name", quote(out.string()));
}

}  // namespace

void add_forward(CLI::App& program) {
  Command command(program, "forward", "Run a model folder on inputs from a file");
  command.footer(
      "The input is a JSON object of lists, as transformers names them: input_ids, and optionally "
      "attention_mask,\n"
      "token_type_ids, position_ids, decoder_input_ids, labels, start_positions, end_positions.\n"
      "The output holds last_hidden_state; logits, or start_logits and end_logits; loss when there are "
      "labels; and\n"
      "with --gradients grad.NAME of every parameter.\n\n"
      "Example:\n  locus forward models/all-MiniLM-L6-v2 --input x.json --out y.safetensors");
  struct Request {
    std::string folder, input, out;
    bool gradients = false;
    DType weights = DType::f32;
  };
  auto request = std::make_shared<Request>();
  command.option("DIR", request->folder, "The model folder").required();
  command.option("--input", request->input, "The inputs, a JSON file").required();
  command.option("--out", request->out, "Where to write the outputs, a safetensors file").required();
  command.flag("--gradients", request->gradients, "Also the gradient of the loss for every parameter");
  add_dtype(command, request->weights);
  command.callback([request] {
    const ForwardInputs inputs = read_inputs(request->input);
    if (request->gradients && request->weights != DType::f32) {
      fail(Fault::usage, "forward: --gradients and --dtype bf16 exclude each other; gradients need f32");
    }
    ModelFolder folder = open_model(request->folder, {.weights = request->weights});
    warn(folder.warnings);
    expect_not_read(request->out, request->input);
    expect_not_read(request->out, folder.config.path());
    const WeightFiles weights(request->folder);
    for (const SafetensorsFile& file : weights.files()) expect_not_read(request->out, file.path());
    write_safetensors(request->out, forward(folder, inputs, request->gradients));
  });
}

}  // namespace locus::cli

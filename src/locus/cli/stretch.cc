// locus stretch: a model folder with a longer context.
#include "locus/checkpoint/stretch.h"

#include <algorithm>
#include <memory>

#include "locus/cli/command.h"
#include "locus/cli/terminal.h"

namespace locus::cli {
namespace {

const std::vector<std::string> kWays = {"interpolate", "repeat", "linear", "ntk",
                                        "yarn"};  // as the enum has them

}  // namespace

void add_stretch(CLI::App& program) {
  Command command(program, "stretch", "Give a model folder a longer context");
  command.footer(
      "For learned tables: interpolate (rows between the old ones) or repeat (the old rows over and over).\n"
      "For rotary models: linear, ntk or yarn, a scaling in config.json.\n"
      "The new folder opens in transformers too. Train it on, or measure what is lost.\n\n"
      "Example:\n  locus stretch models/bert --length 1024 --how interpolate --out models/bert-1024");
  struct Request {
    std::string folder, how, out;
    int64_t length = 0;
  };
  auto request = std::make_shared<Request>();
  command.option("DIR", request->folder, "The model folder").required();
  command.option("--length", request->length, "The new longest input, in tokens")
      .between(1, 1 << 24)
      .required();
  command.option("--how", request->how, "By what: below").one_of(kWays).required();
  command.option("--out", request->out, "The new folder").required();
  command.callback([request] {
    const auto how = static_cast<Stretch>(std::ranges::find(kWays, request->how) - kWays.begin());
    const ModelFolder folder = open_model(request->folder);
    stretch_model(folder, request->length, how, request->out);
    print(fmt::format("{}: up to {} tokens, from {}\n", request->out, request->length,
                      folder.architecture.blueprint.max_length));
  });
}

}  // namespace locus::cli

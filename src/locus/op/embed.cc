#include "locus/op/embed.h"

#include <cmath>

#include "locus/kernel/kernels.h"
#include "locus/op/check.h"
#include "locus/op/scatter_rows.h"
#include "locus/op/sums.h"

namespace locus::op {
namespace {

// Checks a table [rows, columns] and the indices [N] of rows to look up in it.
void check_lookup(Check& check, std::string_view name, const Var& table, std::string_view ids_name,
                  const Indices& ids, int64_t N, Code invalid = Code::bad_token) {
  check.that(table.shape().rank() == 2, Code::bad_shape, "{} has shape {}, expected [rows, columns]", name,
             table.shape());
  check.ids(ids_name, ids, table.shape()[0], 0, invalid);
  check.that(ids.shape() == Shape{N}, Code::bad_shape,
             "{} have shape {}, expected [{}] (one for every token)", ids_name, ids.shape(), N);
}

void check_frozen(const Check& check, std::string_view name, int32_t row, int64_t rows) {
  check.that(row >= -1 && row < rows, "{} is {}, expected 0 to {}, or -1 for none", name, row, rows - 1);
}

void check_norm(Check& check, const EmbedOptions& options, int64_t C) {
  if (!options.gamma) {
    check.that(!options.beta, "beta is given without gamma");
    check.that(!options.rms, "rms is set without gamma");
    return;
  }
  check.that(C > 0, Code::bad_shape, "rows have 0 columns, expected at least 1 for the norm");
  check.parameter("gamma", options.gamma, {C}, "the width of the result");
  if (options.beta) check.parameter("beta", options.beta, {C}, "the width of the result");
  check.that(!options.rms || !options.beta, "beta is given for RMS norm, which does not use it");
  check.that(std::isfinite(options.eps) && options.eps >= 0, "eps is {}, expected a finite number, 0 or more",
             options.eps);
}

// The arguments of the forward pass, kept for the backward pass.
struct Embedding {
  Var tokens;
  Indices ids;
  std::optional<InputTerm> input;
  EmbedOptions options;
  Tensor mean, rstd;

  bool joined() const { return input && input->joined; }
  int64_t width() const { return tokens.shape()[1] + (joined() ? input->table.shape()[1] : 0); }

  void check(Check check) const {
    check.that(static_cast<bool>(ids), "ids are missing");
    const int64_t N = ids.numel();
    check.weight("tokens", tokens);
    check_lookup(check, "tokens", tokens, "ids", ids, N);
    check_frozen(check, "frozen_token", options.frozen_token, tokens.shape()[0]);
    if (input) {
      check.parameter("the input term's table", input->table);
      check_lookup(check, "the input term's table", input->table, "the input term's rows", input->rows, N,
                   Code::bad_position);
      check_frozen(check, "frozen_row", options.frozen_row, input->table.shape()[0]);
    }
    const int64_t C = width();
    check.that(!input || joined() || input->table.shape()[1] == C, Code::bad_shape,
               "the input term's table has shape {}, expected [rows, {}] (the width of tokens)",
               input ? input->table.shape() : Shape(), C);
    if (options.segments) {
      check.parameter("segments", options.segments);
      check_lookup(check, "segments", options.segments, "segment_ids", options.segment_ids, N);
      check.parameter("segments", options.segments, {options.segments.shape()[0], C},
                      "the width of the result");
    } else {
      check.that(!options.segment_ids, "segment_ids are given without segments");
    }
    check_norm(check, options, C);
    check.that(std::isfinite(options.token_scale), "token_scale is {}, expected a finite number",
               options.token_scale);
    check.that(options.dropout >= 0 && options.dropout < 1,
               "dropout is {}, expected 0 or more and less than 1", options.dropout);
    check.weight("tokens", tokens);  // again, now that the device of the other tensors is known
    check.that(tokens.value().dtype() != DType::bf16 || !recording(inputs()),
               "tokens are bf16, but a gradient is required: bf16 weights cannot be trained, use f32");
    check.that(!options.bf16 || table_format() != DType::f64, Code::bad_shape,
               "tables are {} on the {}, expected f32 for a bf16 result", name_of(table_format()),
               name_of(tokens.value().device()));
  }

  // The format of the tables that are not bf16, or the default of the device.
  DType table_format() const {
    for (const Var& var : inputs()) {
      if (var && var.value().dtype() != DType::bf16) return var.value().dtype();
    }
    return tokens.value().device() == Device::reference ? DType::f64 : DType::f32;
  }

  Tensor memory(const Check& check) const {
    const DType format = options.bf16 ? DType::bf16 : table_format();
    return check.result(Tensor::empty({0}, format, tokens.value().device()), {ids.numel(), width()});
  }

  std::vector<Var> inputs() const {
    return {tokens, input ? input->table : Var(), options.segments, options.gamma, options.beta};
  }

  kernel::EmbedArgs arguments() const {
    const auto view = [](const Var& var) { return var ? var.value().view() : View(); };
    const Device device = tokens.value().device();
    kernel::EmbedArgs args = {.tokens = {tokens.value().view(), ids.view(device)},
                              .segments = {view(options.segments), options.segment_ids.view(device)},
                              .joined = joined(),
                              .token_scale = options.token_scale,
                              .gamma = view(options.gamma),
                              .beta = view(options.beta),
                              .eps = options.eps,
                              .rms = options.rms,
                              .dropout = options.dropout,
                              .seed = options.random.seed(),
                              .stream = options.random.stream(),
                              .mean = mean.view(),
                              .rstd = rstd.view()};
    if (input) args.positions = {input->table.value().view(), input->rows.view(device)};
    return args;
  }

  // The gradient of the sum of rows, before norm and dropout. Also accumulates those of gamma and beta.
  Tensor backward_norm(const Tensor& dy) const {
    if (!options.gamma && options.dropout == 0) return dy;
    const int64_t N = dy.size(0), C = dy.size(1);
    const Tensor dx = dy.like(dy.shape());
    const Tensor dgamma = options.gamma.wants_grad() ? sums_like(dy, {C}) : Tensor(),
                 dbeta = options.beta.wants_grad() ? sums_like(dy, {C}) : Tensor();
    const Tensor workspace =
        options.gamma ? sums_like(dy, {kernels(dy.device()).embed_workspace(N), C}) : Tensor();
    kernels(dy.device())
        .embed_backward({.forward = arguments(),
                         .dy = dy.view(),
                         .dx = dx.view(),
                         .dgamma = dgamma.view(),
                         .dbeta = dbeta.view(),
                         .workspace = workspace.view()});
    if (dgamma) options.gamma.accumulate(dgamma);
    if (dbeta) options.beta.accumulate(dbeta);
    return dx;
  }

  void backward(const Tensor& dy) const {
    const Tensor dx = backward_norm(dy);
    const int64_t own = tokens.shape()[1];
    const Tensor own_part = joined() ? dx.columns(0, own) : dx;
    scatter_rows(tokens, own_part, ids, options.frozen_token, options.token_scale);
    if (input) {
      const Tensor part = joined() ? dx.columns(own, width()) : dx;
      scatter_rows(input->table, part, input->rows, options.frozen_row);
    }
    if (options.segments) scatter_rows(options.segments, dx, options.segment_ids, -1);
  }
};

}  // namespace

Var embed(const Var& tokens, const Indices& ids, const std::optional<InputTerm>& input,
          const EmbedOptions& options) {
  Embedding embedding = {tokens, ids, input, options, {}, {}};
  embedding.check(Check("embed"));
  const Tensor y = embedding.memory(Check("embed"));
  if (options.gamma && recording(embedding.inputs())) {
    if (!options.rms) embedding.mean = sums_like(y, {ids.numel()});
    embedding.rstd = sums_like(y, {ids.numel()});
  }
  kernel::EmbedArgs args = embedding.arguments();
  args.y = y.view();
  kernels(y.device()).embed(args);
  return record(y, embedding.inputs(), [embedding](const Tensor& dy) { embedding.backward(dy); });
}

}  // namespace locus::op

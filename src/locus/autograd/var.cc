#include "locus/autograd/var.h"

#include <algorithm>
#include <atomic>
#include <queue>
#include <utility>

#include "locus/kernel/kernels.h"

namespace locus {
namespace {

thread_local bool grad_enabled = true;
std::atomic<uint64_t> next_number{0};

}  // namespace

struct Var::State {
  Tensor value;
  Tensor grad;
  bool wants_grad = false;
  std::shared_ptr<Step> made_by;  // none for leaves, and for values whose step has run
  bool unwound = false;           // its step has run
};

// One op that was performed. Numbers grow with time, so going through them downwards visits every step after
// all the steps that used its results.
class Step {
 public:
  uint64_t number = 0;
  std::vector<Var> inputs;
  std::vector<std::weak_ptr<Var::State>> outputs;
  std::function<void(std::span<const Tensor>)> backward;

  // A long chain of steps must not be destroyed by recursion: the inputs of the first one go to a list
  // instead.
  ~Step() {
    static thread_local std::vector<Var>* pending = nullptr;
    backward = nullptr;
    if (pending) {
      std::ranges::move(inputs, std::back_inserter(*pending));
      return;
    }
    std::vector<Var> list = std::move(inputs);
    pending = &list;
    while (!list.empty()) {
      const Var last = std::move(list.back());
      list.pop_back();
    }
    pending = nullptr;
  }

  void run() {
    std::vector<Tensor> gradients;
    for (const auto& output : outputs) {
      const auto state = output.lock();
      gradients.push_back(state ? std::exchange(state->grad, Tensor()) : Tensor());
      if (state) {
        state->made_by.reset();
        state->unwound = true;
      }
    }
    if (std::ranges::any_of(gradients, [](const Tensor& g) { return static_cast<bool>(g); }))
      backward(gradients);
    backward = nullptr;
  }

  static const std::shared_ptr<Step>& maker(const Var& var) { return var.state_->made_by; }
};

Var::Var(Tensor value) : state_(std::make_shared<State>()) { state_->value = std::move(value); }

Var Var::parameter(Tensor value) {
  Var var(std::move(value));
  var.state_->wants_grad = true;
  return var;
}

const Tensor& Var::value() const {
  require(state_ != nullptr, "a Var without a value was used");
  return state_->value;
}

const Tensor& Var::grad() const {
  require(state_ != nullptr, "a Var without a value has no gradient");
  return state_->grad;
}

void Var::clear_grad() { state_->grad = Tensor(); }
bool Var::wants_grad() const { return state_ && state_->wants_grad; }

void Var::set_wants_grad(bool wanted) {
  require(!state_->made_by, "only a leaf can be frozen, this value was made by an op");
  state_->wants_grad = wanted;
}

void Var::accumulate(const Tensor& gradient) const {
  if (!wants_grad()) return;
  require(gradient.shape() == shape(), "backward: a gradient of shape {} came to a value of shape {}",
          gradient.shape().text(), shape().text());
  if (!state_->grad) {
    state_->grad = gradient;
    return;
  }
  // A gradient that came from elsewhere may be in use there: only memory held by nobody else is added to in
  // place.
  const Tensor sum = state_->grad.unshared() ? state_->grad : gradient.like(gradient.shape());
  kernels(gradient.device()).add({.a = state_->grad.view(), .b = gradient.view(), .out = sum.view()});
  state_->grad = sum;
}

void Var::backward() const {
  require(value().numel() == 1, "backward: the value has shape {}, expected a single number", shape().text());
  backward(Tensor::full(shape(), 1, value().dtype(), value().device()));
}

void Var::backward(const Tensor& gradient) const {
  require(wants_grad(), "backward: the value depends on nothing that wants a gradient");
  require(!state_->unwound,
          "backward: the steps behind this value were already released by an earlier backward");
  accumulate(gradient);
  const auto older = [](const auto& a, const auto& b) { return a->number < b->number; };
  std::priority_queue<std::shared_ptr<Step>, std::vector<std::shared_ptr<Step>>, decltype(older)> steps(
      older);
  std::shared_ptr<Step> last;
  if (state_->made_by) steps.push(state_->made_by);
  while (!steps.empty()) {
    const std::shared_ptr<Step> step = steps.top();
    steps.pop();
    if (step == last)
      continue;  // a step is pushed once for every use of its results; equal ones are neighbours
    last = step;
    step->run();
    for (const Var& input : step->inputs) {
      if (input && Step::maker(input)) steps.push(Step::maker(input));
    }
    step->inputs.clear();
  }
}

bool recording(std::span<const Var> inputs) {
  return grad_enabled && std::ranges::any_of(inputs, [](const Var& v) { return v.wants_grad(); });
}
bool recording(std::initializer_list<Var> inputs) {
  return recording(std::span<const Var>(inputs.begin(), inputs.size()));
}

std::vector<Var> record(std::vector<Tensor> values, std::vector<Var> inputs,
                        std::function<void(std::span<const Tensor>)> backward) {
  std::vector<Var> outputs;
  for (Tensor& value : values) outputs.emplace_back(std::move(value));
  if (!recording(inputs)) return outputs;
  const auto step = std::make_shared<Step>();
  step->number = next_number.fetch_add(1, std::memory_order_relaxed);
  step->inputs = std::move(inputs);
  step->backward = std::move(backward);
  for (const Var& output : outputs) {
    output.state_->wants_grad = true;
    output.state_->made_by = step;
    step->outputs.push_back(output.state_);
  }
  return outputs;
}

Var record(Tensor value, std::vector<Var> inputs, std::function<void(const Tensor& dy)> backward) {
  std::vector<Tensor> values;
  values.push_back(std::move(value));
  return record(std::move(values), std::move(inputs),
                [backward = std::move(backward)](std::span<const Tensor> dy) { backward(dy[0]); })[0];
}

NoGrad::NoGrad() : before_(std::exchange(grad_enabled, false)) {}
NoGrad::~NoGrad() { grad_enabled = before_; }

}  // namespace locus

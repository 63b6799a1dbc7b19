#include "locus/autograd/var.h"

#include <algorithm>
#include <atomic>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "locus/autograd/leaf_gradients.h"
#include "locus/autograd/used_values.h"
#include "locus/kernel/kernels.h"

namespace locus {
namespace {

thread_local bool grad_enabled = true;
thread_local UsedValues* collector = nullptr;
std::atomic<uint64_t> next_number{0};

}  // namespace

struct Var::State {
  Tensor value;
  bool wants_grad = false;
  Tensor grad;  // leaves only
  // For other values: the step that computed this value. The step also accumulates its gradient, so that the
  // value itself can be freed before the step runs.
  std::shared_ptr<Step> made_by;
  size_t place = 0;  // index among the results of the step
};

// One recorded op. Numbers increase with time, so descending order visits every step after all steps that
// used its results.
class Step {
 public:
  uint64_t number = 0;
  std::vector<Var> inputs;
  std::vector<Tensor> gradients;  // of the results; no tensor if a result got none
  std::function<void(std::span<const Tensor>)> backward;
  bool done = false;

  // A long chain of steps must not be destroyed by recursion, which could overflow the stack. The outermost
  // destructor collects the inputs of all steps in a list instead.
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

  // Propagates the gradients of the results to the inputs, and frees everything but the inputs.
  void run() {
    done = true;
    const std::vector<Tensor> arrived = std::move(gradients);
    const auto closure = std::exchange(backward, nullptr);
    if (std::ranges::any_of(arrived, [](const Tensor& g) { return static_cast<bool>(g); })) closure(arrived);
  }

  static const std::shared_ptr<Step>& maker(const Var& var) { return var.state_->made_by; }
  // The same for all copies of a Var, and for no other one.
  static const void* identity(const Var& var) { return var.state_.get(); }
};

namespace {

// How often the steps that are still to run use each leaf. The gradient of a leaf without a use is complete.
class LeafUses {
 public:
  LeafUses(std::span<const Var> leaves, const std::function<void(size_t)>& complete) : complete_(complete) {
    for (const Var& leaf : leaves) {
      const bool is_new = uses_.emplace(Step::identity(leaf), Uses{uses_.size(), 0}).second;
      require(is_new, "backward: a leaf is given twice");
    }
  }

  // Counts the uses of the steps that the pass runs, and reports the leaves that have none.
  void count(const std::shared_ptr<Step>& newest) {
    std::vector<const Step*> waiting{newest.get()};
    std::unordered_set<const Step*> seen{nullptr};
    while (!waiting.empty()) {
      const Step* const step = waiting.back();
      waiting.pop_back();
      if (!seen.insert(step).second) continue;
      for (const Var& input : step->inputs) {
        if (!input) continue;
        if (const auto found = uses_.find(Step::identity(input)); found != uses_.end()) ++found->second.left;
        waiting.push_back(Step::maker(input).get());
      }
    }
    for (const auto& [leaf, uses] : uses_) {
      if (uses.left == 0) complete_(uses.index);
    }
  }

  // A step that used the value has run.
  void used(const Var& value) {
    const auto found = uses_.find(Step::identity(value));
    if (found != uses_.end() && --found->second.left == 0) complete_(found->second.index);
  }

 private:
  struct Uses {
    size_t index;
    int64_t left;
  };
  std::unordered_map<const void*, Uses> uses_;
  const std::function<void(size_t)>& complete_;
};

// One backward pass: the steps still to run. A pass may start inside a step of another pass, as in
// recompute(). Steps older than that step are left to the outer pass, which may have more gradients for them.
class BackwardPass {
 public:
  BackwardPass() = default;
  ~BackwardPass() {
    innermost = outer_;
    grad_enabled = enabled_before_;
  }
  BackwardPass(const BackwardPass&) = delete;
  BackwardPass& operator=(const BackwardPass&) = delete;

  void push(std::shared_ptr<Step> step) {
    if (!step) return;
    if (outer_ && step->number < outer_->running_) return outer_->push(std::move(step));
    steps_.push(std::move(step));
  }

  void run(LeafUses* leaves = nullptr) {
    std::shared_ptr<Step> last;
    while (!steps_.empty()) {
      const std::shared_ptr<Step> step = steps_.top();
      steps_.pop();
      // A step is pushed once for every use of its results. Duplicates come out one after another.
      if (step == last) continue;
      last = step;
      running_ = step->number;
      step->run();
      for (const Var& input : step->inputs) {
        if (input && leaves != nullptr) leaves->used(input);
        if (input) push(Step::maker(input));
      }
      step->inputs.clear();
    }
  }

 private:
  struct Older {
    bool operator()(const std::shared_ptr<Step>& a, const std::shared_ptr<Step>& b) const {
      return a->number < b->number;
    }
  };
  static thread_local BackwardPass* innermost;

  BackwardPass* outer_ = std::exchange(innermost, this);
  bool enabled_before_ = std::exchange(grad_enabled, true);  // recompute() needs recording
  uint64_t running_ = 0;
  std::priority_queue<std::shared_ptr<Step>, std::vector<std::shared_ptr<Step>>, Older> steps_;
};

thread_local BackwardPass* BackwardPass::innermost = nullptr;

void require_can_go_back(const Var& value, const Tensor& gradient) {
  require(value.wants_grad(), "backward: value does not depend on any parameter that requires a gradient");
  require(static_cast<bool>(gradient), "backward: gradient is missing");
}

}  // namespace

Var::Var(Tensor value) : state_(std::make_shared<State>()) { state_->value = std::move(value); }

Var Var::parameter(Tensor value) {
  Var var(std::move(value));
  var.state_->wants_grad = true;
  return var;
}

const Tensor& Var::value() const {
  require(state_ != nullptr, "cannot use a Var without a value");
  return state_->value;
}

const Tensor& Var::grad() const {
  require(state_ != nullptr, "a Var without a value has no gradient");
  return state_->grad;
}

void Var::clear_grad() {
  if (state_) state_->grad = Tensor();
}
bool Var::wants_grad() const { return state_ && state_->wants_grad; }

void Var::set_wants_grad(bool wanted) {
  require(state_ != nullptr, "a Var without a value cannot require a gradient");
  require(!state_->made_by, "only a leaf can be frozen or unfrozen: got the result of an op, of shape {}",
          shape());
  state_->wants_grad = wanted;
}

Tensor& Var::collected() const {
  Step* const step = state_->made_by.get();
  if (step && step->done) {
    fail({Fault::data, Code::graph_freed, "sum the losses and call backward() once"},
         "backward() already ran on this graph and freed it");
  }
  return step ? step->gradients[state_->place] : state_->grad;
}

void Var::accumulate(const Tensor& gradient) const {
  if (!wants_grad()) return;
  const Tensor& value = state_->value;
  require(gradient.shape() == value.shape() && gradient.dtype() == value.dtype() &&
              gradient.device() == value.device(),
          Code::bad_shape, "backward: gradient is {} {} on the {}, expected {} {} on the {} like its value",
          name_of(gradient.dtype()), gradient.shape(), name_of(gradient.device()), name_of(value.dtype()),
          value.shape(), name_of(value.device()));
  Tensor& grad = collected();
  if (!grad) {
    // A leaf keeps its gradient, so it needs its own memory. Any other gradient is soon read and freed.
    const bool keep_as_is = state_->made_by || (gradient.unshared() && gradient.contiguous());
    grad = keep_as_is ? gradient : gradient.clone();
    return;
  }
  // Add in place only if no other tensor shares the memory: the sender of a gradient may still use it.
  const Tensor sum = grad.unshared() ? grad : gradient.like(gradient.shape());
  kernels(gradient.device()).add({.a = grad.view(), .b = gradient.view(), .out = sum.view()});
  grad = sum;
}

const Tensor& Var::open_grad() const {
  require(wants_grad(), "backward: cannot add to the gradient of a value that does not require one");
  Tensor& grad = collected();
  if (!grad) {
    grad = value().zeros_like();
  } else if (!grad.unshared()) {
    grad = grad.clone();
  }
  return grad;
}

void Var::backward() const {
  require(value().numel() == 1, Code::bad_shape, "backward: value has shape {}, expected a single number",
          shape());
  backward(Tensor::full(shape(), 1, value().dtype(), value().device()));
}

void Var::backward(const Tensor& gradient) const {
  require_can_go_back(*this, gradient);
  accumulate(gradient);
  BackwardPass pass;
  pass.push(state_->made_by);
  pass.run();
}

void backward(const Var& value, const Tensor& gradient, std::span<const Var> leaves,
              const std::function<void(size_t)>& complete) {
  require_can_go_back(value, gradient);
  value.accumulate(gradient);
  LeafUses uses(leaves, complete);
  BackwardPass pass;
  uses.count(Step::maker(value));
  pass.push(Step::maker(value));
  pass.run(&uses);
}

UsedValues::UsedValues() : outer_(std::exchange(collector, this)) {}
UsedValues::~UsedValues() { collector = outer_; }

void UsedValues::add(const Var& value) {
  const auto is_same = [&](const Var& other) { return Step::identity(other) == Step::identity(value); };
  if (value.wants_grad() && std::ranges::none_of(list_, is_same)) list_.push_back(value);
}

bool recording(std::span<const Var> inputs) {
  if (collector != nullptr) {
    for (const Var& input : inputs) collector->add(input);
  }
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
  step->gradients.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    Var::State& state = *outputs[i].state_;
    state.wants_grad = true;
    state.made_by = step;
    state.place = i;
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

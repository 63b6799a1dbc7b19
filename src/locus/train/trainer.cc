#include "locus/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "locus/autograd/leaf_gradients.h"
#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/paths.h"
#include "locus/checkpoint/parameters_file.h"
#include "locus/kernel/kernels.h"
#include "locus/train/overlapped_sum.h"
#include "locus/train/rank_start.h"
#include "locus/train/run_changes.h"
#include "locus/train/run_comparison.h"
#include "locus/train/shard_gradients.h"

namespace locus {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Training {
 public:
  explicit Training(TrainJob job)
      : job_(std::move(job)),
        exchange_(job_.ranks, with_frozen(job_), job_.settings.shards),
        optimizer_(job_.parameters, job_.settings.adamw, exchange_.owned()),
        state_{.seed = job_.settings.seed} {
    for (const NamedParameter& parameter : job_.parameters.all()) leaves_.push_back(parameter.var);
    if (!exchange_.alone()) dist::require_same(exchange_.transport(), facts_of(job_));
    const bool branches = exchange_.leads() && open_folder();
    if (!exchange_.alone()) share_start();
    // From now on the folder does not need the other run.
    if (exchange_.any(branches)) save();
  }

  int64_t run() {
    if (job_.hooks.start) job_.hooks.start(state_.step);
    const Clock::time_point start = Clock::now();
    const int64_t first_step = state_.step, first_token = state_.tokens;
    dist::Traffic traffic;  // in steps
    double seconds = 0;
    while (state_.step < job_.settings.steps) {
      const dist::Traffic before = exchange_.transport().traffic();
      TrainProgress progress{.last = step(), .steps = job_.settings.steps};
      traffic.add(before, exchange_.transport().traffic());
      seconds += progress.last.seconds;
      progress.own_steps = state_.step - first_step;
      progress.own_seconds = seconds;
      progress.traffic = traffic;
      progress.validation = validate();
      const bool stop = exchange_.any(job_.hooks.stop && job_.hooks.stop());
      const bool best = progress.validation && state_.best_step == state_.step;
      if (stop || best || due(job_.settings.save_every)) save();
      const double spent = std::max(seconds_since(start), 1e-9);  // a coarse clock may not have moved
      progress.tokens_per_second = static_cast<double>(state_.tokens - first_token) / spent;
      progress.seconds_left = spent / static_cast<double>(state_.step - first_step) *
                              static_cast<double>(job_.settings.steps - state_.step);
      if (job_.hooks.progress) job_.hooks.progress(progress);
      if (stop) break;
    }
    return state_.step;
  }

 private:
  // Reads the newest checkpoint. Returns whether the run branches off another one.
  bool open_folder() {
    require(job_.folder != nullptr, "train: rank 0 has no run folder");
    std::vector<std::string> notes;
    const auto checkpoint = job_.folder->newest(notes);
    for (const std::string& text : notes) note(text);
    const bool branches = !checkpoint && job_.continuation;
    if (checkpoint) resume(*checkpoint);
    if (branches) branch_off(*job_.continuation);
    log_.emplace(job_.folder->metrics(), state_.metrics_bytes);
    if (!log_->complete()) {
      note(fmt::format("'{}' is shorter than it was at step {}: some lines are lost",
                       job_.folder->metrics().string(), state_.step));
    }
    return branches;
  }

  // Rank 0 may have read a checkpoint, and has sent moments to their owners. In a new run all ranks must have
  // initialized the same parameters.
  void share_start() {
    exchange_.leads() ? end_moments(exchange_) : receive_moments(exchange_, optimizer_);
    if (exchange_.any(loaded_)) share_progress(exchange_, state_, job_.parameters, optimizer_);
    dist::require_same(exchange_.transport(), checksums_of(job_.parameters));
  }

  void note(const std::string& text) const {
    if (job_.hooks.note) job_.hooks.note(text);
  }

  bool due(int64_t every) const {
    return state_.step == job_.settings.steps || (every > 0 && state_.step % every == 0);
  }

  static Parameters& with_frozen(const TrainJob& job) {
    freeze_matching(job.parameters, job.settings.frozen);
    return job.parameters;
  }

  void resume(const fs::path& checkpoint) {
    const std::vector<SettingChange> changes = config_changes(job_, checkpoint);
    const bool in_place = job_.continuation && job_.continuation->checkpoint.empty();
    note_device(checkpoint);
    if (!in_place) {
      refuse_changes(job_, changes);
      check_files(job_, checkpoint);
    }
    load(checkpoint, changes);
  }

  void note_device(const fs::path& checkpoint) const {
    const Settings saved = Settings::read(checkpoint / "config.toml");
    const Setting *before = saved.find(kDeviceSetting), *now = job_.config.find(kDeviceSetting);
    if (before == nullptr || now == nullptr || before->value == now->value) return;
    note(fmt::format("trained on the {} so far, now on the {}: results agree up to rounding", before->value,
                     now->value));
  }

  // Starts in a new folder from a checkpoint of another run, whose metrics are copied.
  void branch_off(const Continuation& from) {
    load(from.checkpoint, config_changes(job_, from.checkpoint));
    if (state_.best_step != state_.step) forget_best();  // that checkpoint stays in the other folder
    std::string metrics = is_there(from.metrics) ? read_file(from.metrics) : "";
    metrics.resize(std::min(metrics.size(), static_cast<size_t>(state_.metrics_bytes)));
    write_file(job_.folder->metrics(), metrics);
  }

  void load(const fs::path& checkpoint, const std::vector<SettingChange>& settings) {
    const std::vector<RunChange> changes = all_changes(job_, checkpoint, settings);
    loaded_ = true;
    changes_ = read_changes(checkpoint);
    read_parameters(SafetensorsFile(checkpoint / "model.safetensors"), job_.parameters);
    state_ = read_state(checkpoint);
    state_.seed = job_.settings.seed;
    if (state_.step > job_.settings.steps) {
      require(!changes.empty(), "'{}': step is {}, expected at most {}, the value of train.steps",
              (checkpoint / "state.toml").string(), state_.step, job_.settings.steps);
      fail(Fault::usage, "train.steps is {}, expected at least {}, the steps that '{}' has done",
           job_.settings.steps, state_.step, checkpoint.string());
    }
    const SafetensorsFile moments(checkpoint / "optimizer.safetensors");
    const AdamW::PassMoment pass = moment_sender(exchange_);
    changes.empty() ? optimizer_.restore(moments, state_.step, pass)
                    : optimizer_.restore_present(moments, state_.step, pass);
    const bool comparable =
        std::ranges::all_of(changes, [&](const RunChange& change) { return is_comparable(change.setting); });
    if (!comparable) forget_best();
    for (const RunChange& change : changes) {
      note(fmt::format("continued after step {} with {}", change.step, in_words(change)));
      changes_.push_back(change);
    }
  }

  // Whether validation losses before and after the change of a setting measure the same.
  bool is_comparable(const std::string& setting) const {
    if (setting.starts_with("train.") && setting != "train.seed") return true;
    return std::ranges::count(job_.continuation->comparable, setting) > 0;
  }

  void forget_best() { state_.best_step = 0, state_.best_loss = 0; }

  StepMetrics step() {
    const Clock::time_point start = Clock::now();
    const int64_t number = state_.step + 1;
    // The host reads losses and gradient norms when the whole step is with the device.
    Readings readings(job_.parameters.device(), own_batches() + optimizer_.owned());
    std::vector<MicroBatchNumbers> batches = add_gradients(number, readings);
    optimizer_.measure(readings);
    const std::vector<double> read = readings.read();
    auto next = read.begin();
    for (MicroBatchNumbers& batch : batches) {
      if (batch.has_mean != 0) batch.mean = *next++;
    }
    std::vector<double> norms(next, read.end());
    exchange_.gather(batches, norms);
    StepMetrics metrics = metrics_of(number, batches);
    double weight = 0;
    for (const MicroBatchNumbers& batch : batches) weight += batch.weight;
    try {
      metrics.norm = optimizer_.apply(norms, metrics.rate, 1 / weight);
    } catch (const Error& error) {
      if (error.fault() != Fault::diverged) throw;
      diverged(number, error.what());
    }
    exchange_.share_parameters();
    metrics.seconds = seconds_since(start);
    state_.step = number;
    state_.tokens += metrics.tokens;
    if (log_) log_->add(metrics);
    return metrics;
  }

  int64_t own_batches() const { return (exchange_.end() - exchange_.begin()) * job_.settings.micro_batches; }

  // The micro-batches of this rank. Their losses are with the device. The owned parameters get the gradients
  // of the whole step.
  std::vector<MicroBatchNumbers> add_gradients(int64_t number, Readings& readings) {
    const TrainSettings& settings = job_.settings;
    std::vector<MicroBatchNumbers> batches;
    std::optional<ShardGradients> sums;
    if (settings.shards > 1)
      sums.emplace(job_.parameters, settings.shards, exchange_.begin(), exchange_.end());
    const int64_t first = exchange_.begin() * settings.micro_batches, end = first + own_batches();
    for (int64_t index = first; index < end; ++index) {
      const PartialLoss loss = job_.objective.loss({.step = number,
                                                    .index = index,
                                                    .count = settings.step_parts(),
                                                    .seed = static_cast<uint64_t>(settings.seed)});
      batches.push_back({.tokens = loss.tokens});
      if (loss.mean) {
        const Tensor& mean = loss.mean.value();
        kernels(mean.device()).sum({mean.view(), readings.next()});
        batches.back().has_mean = 1;
        batches.back().weight = loss.weight;
      }
      if (index + 1 == end && overlaps()) {
        add_overlapped(loss, *sums);
      } else {
        if (loss.mean) loss.mean.backward(gradient_of(loss));
        if (sums && (index + 1) % settings.micro_batches == 0) sums->take();
      }
    }
    if (sums && !overlaps()) exchange_.sum(*sums);
    return batches;
  }

  static Tensor gradient_of(const PartialLoss& loss) {
    const Tensor& mean = loss.mean.value();
    return Tensor::full(mean.shape(), loss.weight, mean.dtype(), mean.device());
  }

  // Another thread can read gradients only in the memory of the host.
  bool overlaps() const { return !exchange_.alone() && on_host(job_.parameters.device()); }

  // The gradients of the last micro-batch, which complete those of the rank. Each is sent while those of the
  // layers below are computed.
  void add_overlapped(const PartialLoss& loss, ShardGradients& sums) {
    OverlappedSum total(exchange_, sums);
    total.during([&] {
      const auto complete = [&](size_t i) {
        sums.take(i);
        total.complete(i);
      };
      if (loss.mean) {
        backward(loss.mean, gradient_of(loss), leaves_, complete);
      } else {
        for (size_t i = 0; i < leaves_.size(); ++i) complete(i);
      }
      sums.take();
    });
    total.finish();
  }

  // Of all micro-batches of a step, in their order.
  StepMetrics metrics_of(int64_t number, std::span<const MicroBatchNumbers> batches) const {
    StepMetrics metrics{.step = number, .rate = rate(number)};
    double total = 0, weight = 0;
    for (const MicroBatchNumbers& batch : batches) {
      metrics.tokens += batch.tokens;
      if (batch.has_mean == 0) continue;
      weight += batch.weight;
      total += batch.mean * batch.weight;
      if (!std::isfinite(total)) diverged(number, fmt::format("the loss is {}", batch.mean));
    }
    if (weight == 0) {
      fail(Fault::data,
           "step {}: none of its {} tokens has a target, expected at least one; use larger batches or a "
           "higher "
           "data.mask_rate",
           number, metrics.tokens);
    }
    metrics.loss = total / weight;
    return metrics;
  }

  double rate(int64_t number) const {
    const TrainSettings& settings = job_.settings;
    return Schedule{.shape = settings.schedule,
                    .rate = settings.learning_rate,
                    .floor = settings.floor,
                    .warmup = settings.warmup_steps(),
                    .steps = settings.steps,
                    .decay = settings.decay_steps}
        .at(number);
  }

  [[noreturn]] void diverged(int64_t number, const std::string& what) const {
    const fs::path last = job_.folder != nullptr ? job_.folder->path() / "last" : fs::path();
    fail({Fault::diverged, Code::none, "try a lower learning rate, a longer warmup or gradient clipping"},
         "training diverged at step {}: {}; {}", number, what,
         last.empty()     ? "rank 0 names the last checkpoint"
         : is_there(last) ? fmt::format("the last checkpoint is '{}'", last.string())
                          : "no checkpoint was saved yet");
  }

  std::optional<Validation> validate() {
    if (!due(job_.settings.eval_every)) return std::nullopt;
    const NoGrad guard;
    std::optional<Validation> validation = job_.objective.evaluate();
    if (!validation) return std::nullopt;
    validation->step = state_.step;
    if (log_) log_->add(*validation);
    if (!std::isfinite(validation->loss)) {
      diverged(state_.step, fmt::format("the validation loss is {}", validation->loss));
    }
    if (state_.best_step == 0 || validation->loss < state_.best_loss) {
      state_.best_step = state_.step;
      state_.best_loss = validation->loss;
    }
    return validation;
  }

  void check_finite() const {
    const std::span<const NamedParameter> all = job_.parameters.all();
    Readings sums(job_.parameters.device(), std::ssize(all));
    for (const NamedParameter& parameter : all) {
      const Tensor& value = parameter.var.value();
      kernels(value.device()).sum({value.view(), sums.next()});
    }
    const std::vector<double> read = sums.read();
    for (size_t i = 0; i < all.size(); ++i) {
      if (std::isfinite(read[i])) continue;
      diverged(state_.step, fmt::format("parameter {} is not finite", all[i].name));
    }
  }

  void save() {
    check_finite();
    if (exchange_.alone()) return write_checkpoint();
    dist::require_same(exchange_.transport(), checksums_of(job_.parameters));
    if (!exchange_.leads()) return serve_moments(exchange_, optimizer_);
    write_checkpoint();
    end_fetches(exchange_);
  }

  void write_checkpoint() {
    log_->sync();
    state_.metrics_bytes = log_->bytes();
    std::vector<std::pair<std::string, std::string>> files = job_.files;
    std::string changes;
    for (const RunChange& change : changes_) changes += as_json(change) + "\n";
    if (!changes.empty()) files.emplace_back(kChangesFile, std::move(changes));
    job_.folder->save({.state = state_,
                       .model = named_tensors(job_.parameters),
                       .optimizer = optimizer_.state(moment_fetcher(exchange_, optimizer_)),
                       .config = job_.config.toml(),
                       .files = std::move(files)});
  }

  TrainJob job_;
  RankExchange exchange_;
  AdamW optimizer_;
  RunState state_;
  std::vector<Var> leaves_;         // the parameters
  bool loaded_ = false;             // from a checkpoint
  std::vector<RunChange> changes_;  // of the whole run
  std::optional<MetricsLog> log_;
};

}  // namespace

int64_t train(TrainJob job) { return Training(std::move(job)).run(); }

}  // namespace locus

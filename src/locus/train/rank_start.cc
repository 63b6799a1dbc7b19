#include "locus/train/rank_start.h"

#include <algorithm>
#include <type_traits>

#include "locus/base/checksum.h"
#include "locus/base/error.h"
#include "locus/kernel/processor.h"
#include "locus/train/tensor_bytes.h"

namespace locus {
namespace {

// A moment on its way: 2 index, and 1 for the second one. kNoMoment ends a row of them.
constexpr int64_t kNoMoment = -1;

void send_number(dist::Transport& transport, int to, int64_t number) {
  transport.send(to, std::as_bytes(std::span(&number, 1)));
}

int64_t receive_number(dist::Transport& transport, int from) {
  int64_t number = 0;
  transport.receive(from, std::as_writable_bytes(std::span(&number, 1)));
  return number;
}

void send_tensor(dist::Transport& transport, int to, const Tensor& tensor) {
  std::vector<std::byte> bytes;
  append_bytes(tensor, bytes);
  transport.send(to, bytes);
}

void receive_tensor(dist::Transport& transport, int from, const Tensor& tensor) {
  std::vector<std::byte> bytes(static_cast<size_t>(byte_size(tensor)));
  transport.receive(from, bytes);
  std::span<const std::byte> left = bytes;
  take_bytes(left, tensor);
}

const Tensor& moment_of(AdamW& optimizer, int64_t number) {
  const AdamW::Moments& moments = optimizer.moments().at(static_cast<size_t>(number / 2));
  return number % 2 == 0 ? moments.first : moments.second;
}

void tell_end(dist::Transport& transport) {
  for (int rank = 1; rank < transport.size(); ++rank) send_number(transport, rank, kNoMoment);
}

}  // namespace

dist::Facts facts_of(const TrainJob& job) {
  const Device device = job.parameters.device();
  dist::Facts facts = dist::machine_facts(device, processor_of(device));
  for (const Setting& setting : job.config.all()) {
    const bool may_differ = std::ranges::count(job.free_settings, setting.key) > 0;
    if (!may_differ || setting.key == kDeviceSetting) facts.emplace_back(setting.key, setting.value);
  }
  for (const auto& [name, contents] : job.files) {
    const bool is_short = contents.size() <= 200 && contents.find('\0') == std::string::npos;
    facts.emplace_back(name, is_short ? contents : fmt::format("{:016x}", checksum(contents)));
  }
  for (const NamedParameter& parameter : job.parameters.all()) {
    const Tensor& value = parameter.var.value();
    facts.emplace_back("the parameter " + parameter.name,
                       fmt::format("{} {}{}", name_of(value.dtype()), value.shape(),
                                   parameter.var.wants_grad() ? "" : ", frozen"));
  }
  return facts;
}

dist::Facts checksums_of(const Parameters& parameters) {
  dist::Facts facts;
  std::vector<std::byte> bytes;
  for (const NamedParameter& parameter : parameters.all()) {
    bytes.clear();
    append_bytes(parameter.var.value(), bytes);
    facts.emplace_back("the checksum of parameter " + parameter.name,
                       fmt::format("{:016x}", checksum(bytes)));
  }
  return facts;
}

AdamW::PassMoment moment_sender(const RankExchange& exchange) {
  return [&exchange](size_t index, bool second, const Tensor& moment) {
    dist::Transport& transport = exchange.transport();
    const int owner = exchange.owners().at(index);
    send_number(transport, owner, 2 * static_cast<int64_t>(index) + (second ? 1 : 0));
    send_tensor(transport, owner, moment);
  };
}

void end_moments(const RankExchange& exchange) { tell_end(exchange.transport()); }

void receive_moments(const RankExchange& exchange, AdamW& optimizer) {
  dist::Transport& transport = exchange.transport();
  for (int64_t number = 0; (number = receive_number(transport, 0)) != kNoMoment;) {
    receive_tensor(transport, 0, moment_of(optimizer, number));
  }
}

void share_progress(const RankExchange& exchange, RunState& state, Parameters& parameters, AdamW& optimizer) {
  static_assert(std::is_trivially_copyable_v<RunState>);
  dist::Transport& transport = exchange.transport();
  dist::broadcast(transport, std::as_writable_bytes(std::span(&state, 1)));
  std::vector<int64_t> begins;
  for (const AdamW::Moments& moments : optimizer.moments()) begins.push_back(moments.begin);
  dist::broadcast(transport, std::as_writable_bytes(std::span(begins)));
  for (size_t i = 0; i < begins.size(); ++i) optimizer.moments()[i].begin = begins[i];
  optimizer.set_steps(state.step);
  std::vector<std::byte> bytes;
  for (const NamedParameter& parameter : parameters.all()) {
    bytes.clear();
    append_bytes(parameter.var.value(), bytes);
    dist::broadcast(transport, bytes);
    std::span<const std::byte> left = bytes;
    if (!exchange.leads()) take_bytes(left, parameter.var.value());
  }
}

AdamW::FetchMoment moment_fetcher(const RankExchange& exchange, AdamW& optimizer) {
  return [&exchange, &optimizer](size_t index, bool second) {
    dist::Transport& transport = exchange.transport();
    const int owner = exchange.owners().at(index);
    const Tensor& value = optimizer.moments().at(index).parameter.value();
    const Tensor moment = Tensor::empty(value.shape(), value.dtype());
    send_number(transport, owner, 2 * static_cast<int64_t>(index) + (second ? 1 : 0));
    receive_tensor(transport, owner, moment);
    return moment;
  };
}

void end_fetches(const RankExchange& exchange) { tell_end(exchange.transport()); }

void serve_moments(const RankExchange& exchange, AdamW& optimizer) {
  dist::Transport& transport = exchange.transport();
  for (int64_t number = 0; (number = receive_number(transport, 0)) != kNoMoment;) {
    send_tensor(transport, 0, moment_of(optimizer, number));
  }
}

}  // namespace locus

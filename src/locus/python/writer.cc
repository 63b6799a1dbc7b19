// Text generation, also as a stream.
#include "locus/apply/writer.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "locus/base/fields.h"
#include "locus/python/bindings.h"
#include "locus/python/computing.h"
#include "locus/python/texts.h"
#include "locus/text/chat_template/chat_template.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace locus::python {
namespace {

struct Closed {};  // ends the thread of a stream

// What is continued: texts, or chats as JSON objects.
struct Prompts {
  std::vector<std::string> texts;
  bool are_chats = false;
};

std::vector<std::string> answers(const Writer& writer, const Prompts& prompts, const WriteOptions& options,
                                 const ReadOptions& reading) {
  if (!prompts.are_chats) return writer.write(prompts.texts, options, reading);
  const ChatTemplate chat = load_chat_template(writer.model().folder());
  const auto render = [&](size_t i) {
    return render_object(chat, prompts.texts[i], fmt::format("messages[{}]", i));
  };
  return writer.write_chats(prompts.texts.size(), render, options, reading);
}

// What a thread writes and Python reads. The thread never needs the GIL.
class Stream {
 public:
  Stream(const Writer& writer, Prompts prompts, WriteOptions options, const ReadOptions& reading)
      : state_(std::make_unique<State>()) {
    State& state = *state_;
    options.on_text = [&state](size_t prompt, std::string_view text) {
      state.check();
      const std::lock_guard lock(state.mutex);
      state.pieces.emplace_back(prompt, text);
      state.changed.notify_all();
      return true;
    };
    ReadOptions checked = reading;
    checked.on_batch = [&state](size_t) { state.check(); };
    state.thread =
        std::thread([&state, &writer, prompts = std::move(prompts), options = std::move(options), checked] {
          std::exception_ptr failure;
          try {
            const Computing computing;
            answers(writer, prompts, options, checked);
          } catch (const Closed&) {
          } catch (...) {
            failure = std::current_exception();
          }
          const std::lock_guard lock(state.mutex);
          state.failure = failure;
          state.done = true;
          state.changed.notify_all();
        });
  }

  ~Stream() {
    // The child of a fork has neither the thread nor a usable mutex.
    if (getpid() == state_->process) {
      stop();
    } else {
      [[maybe_unused]] State* const abandoned = state_.release();
    }
  }

  // (prompt, text); raises StopIteration at the end.
  nb::tuple next() {
    if (getpid() != state_->process) fail(Fault::usage, "this stream belongs to the parent process");
    State& state = *state_;
    while (true) {
      {
        const ReleasedGil released;
        std::unique_lock lock(state.mutex);
        const auto ready = [&] { return !state.pieces.empty() || state.done || state.closed; };
        state.changed.wait_for(lock, std::chrono::milliseconds(50), ready);
        if (!state.closed && !state.pieces.empty()) {
          taken_ = std::move(state.pieces.front());
          state.pieces.pop_front();
          break;
        }
        if (state.closed || state.done) throw_end(state);
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return nb::make_tuple(taken_.first, python_text(taken_.second));
  }

  void close() {
    if (getpid() != state_->process) return;
    const ReleasedGil released;
    stop();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::pair<size_t, std::string>> pieces;
    bool done = false;
    std::atomic<bool> closed = false;
    std::exception_ptr failure;
    std::thread thread;
    pid_t process = getpid();
    void check() const {
      if (closed) throw Closed();
    }
  };

  [[noreturn]] static void throw_end(State& state) {
    if (std::exception_ptr failure = std::exchange(state.failure, nullptr)) std::rethrow_exception(failure);
    throw nb::stop_iteration();
  }

  void stop() {
    state_->closed = true;
    state_->changed.notify_all();
    const std::lock_guard lock(joining_);
    if (state_->thread.joinable()) state_->thread.join();
  }

  std::unique_ptr<State> state_;
  std::mutex joining_;
  std::pair<size_t, std::string> taken_;
};

// The folder's options, overridden by those that are given: names of WriteOptions and of Sampling.
WriteOptions options_of(const Writer& self, nb::dict given) {
  WriteOptions options = self.defaults();
  OptionValues sampling;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (name == "max_tokens") {
      options.max_tokens = nb::cast<int64_t>(value);
    } else if (name == "beams") {
      options.beams = nb::cast<int64_t>(value);
    } else if (name == "length_penalty") {
      options.length_penalty = nb::cast<float>(value);
    } else if (name == "seed") {
      options.seed = nb::cast<uint64_t>(value);
    } else if (name == "stop") {
      options.stops = texts_of(value, "stop");
    } else if (name == "read_specials") {
      options.specials = nb::cast<bool>(value) ? Specials::are_tokens : Specials::are_text;
    } else if (name == "source") {
      options.from = text_of(value, "source");
    } else if (name == "target") {
      options.to = text_of(value, "target");
    } else {
      sampling[name] = nb::cast<std::string>(nb::str(value));
      if (name != "repetition_penalty" && !given.contains("beams")) options.beams = 1;
    }
  }
  require(options.max_tokens >= 0, "max_tokens: got {}, expected at least 0", options.max_tokens);
  require(options.beams >= 1 && options.beams <= 1024, "beams: got {}, expected 1 to 1024", options.beams);
  for (const std::string& stop : options.stops)
    require(!stop.empty(), "stop: got an empty text, expected stop strings");
  refuse("generate", read_fields(options.sampling, sampling));
  return options;
}

void open(Writer* self, nb::handle folder, const std::string& dtype, const std::string& device) {
  const std::filesystem::path path = path_of(folder);
  const DType weights = weights_of(dtype);
  const Device place = device_of(device);
  const WithoutGil computing;
  new (self) Writer(path, weights, place);
}

// For every prompt (text, why it ended).
nb::list write(const Writer& self, nb::handle prompts, bool chats, nb::dict given, bool truncate,
               int64_t batch_tokens, nb::handle progress) {
  const Prompts list{texts_of(prompts, "prompts"), chats};
  WriteOptions options = options_of(self, given);
  options.on_text = [](size_t, std::string_view) {
    check_signals();
    return true;
  };
  std::vector<StopReason> reasons(list.texts.size(), StopReason::length);
  options.on_finish = [&](size_t prompt, const AnswerEnd& end) {
    reasons[prompt] = end.reason;
    const WithGil gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(1);
  };
  ReadOptions reading = reading_of(truncate, batch_tokens, nb::none());
  std::vector<std::string> texts;
  {
    const WithoutGil computing;
    texts = answers(self, list, options, reading);
  }
  nb::list all;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string reason(name_of(reasons[i]));
    all.append(nb::make_tuple(python_text(texts[i]), reason));
  }
  return all;
}

Stream* stream(const Writer& self, nb::handle prompts, bool chats, nb::dict given, bool truncate,
               int64_t batch_tokens) {
  require(batch_tokens >= 1, "batch_tokens: got {}, expected at least 1", batch_tokens);
  return new Stream(self, {texts_of(prompts, "prompts"), chats}, options_of(self, given),
                    {.truncate = truncate, .batch_tokens = batch_tokens});
}

}  // namespace

void bind_writer(nb::module_& module) {
  nb::class_<Stream>(module, "Stream")
      .def("next", &Stream::next, kCounted)
      .def("close", &Stream::close, kCounted);
  nb::class_<Writer>(module, "Writer")
      .def("__init__", open, kCounted, "folder"_a, "dtype"_a, "device"_a)
      .def("write", write, kCounted, "prompts"_a, "chats"_a, "options"_a, "truncate"_a, "batch_tokens"_a,
           "progress"_a.none())
      .def("stream", stream, kCounted, "prompts"_a, "chats"_a, "options"_a, "truncate"_a, "batch_tokens"_a,
           nb::keep_alive<0, 1>(), nb::rv_policy::take_ownership)
      .def_prop_ro("is_encoder_decoder", &Writer::is_encoder_decoder)
      .def_prop_ro("translation_beams", &Writer::translation_beams)
      .def_prop_ro(
          "warnings", [](const Writer& self) { return python_texts(self.warnings()); }, kCounted);
}

}  // namespace locus::python

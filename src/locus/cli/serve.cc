// locus serve: answers HTTP requests with one model.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "locus/base/file.h"
#include "locus/base/quote.h"
#include "locus/cli/stop_signals.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_command.h"
#include "locus/serve/access.h"
#include "locus/serve/http_server.h"
#include "locus/serve/request_log.h"
#include "locus/serve/service.h"

namespace locus::cli {
namespace {

using serve::Milliseconds;

struct ServeRequest {
  serve::ServiceOptions service;
  serve::ServerLimits limits;
  serve::AccessOptions access;
  std::string folder, host = "127.0.0.1", unix_path, key_file;
  int port = 8080;
  bool no_token_ids = false;
  std::string log = "text";
  Milliseconds grace{30'000};
};

std::vector<serve::Listener> listeners_of(const ServeRequest& request) {
  std::vector<serve::Listener> listeners = serve::systemd_listeners();
  if (!listeners.empty()) return listeners;
  if (request.unix_path.empty()) return serve::listen_tcp(request.host, request.port);
  listeners.push_back(serve::listen_unix(request.unix_path));
  return listeners;
}

// Pages of other sites can reach a loopback address, but not a file. They do not know an API key.
bool check_host(const serve::AccessOptions& access, const std::vector<serve::Listener>& listeners) {
  return access.api_keys.empty() && std::ranges::all_of(listeners, [](const serve::Listener& listener) {
           return listener.local && listener.address.starts_with("http:");
         });
}

void collect_keys(ServeRequest& request) {
  std::vector<std::string>& keys = request.access.api_keys;
  if (const char* const key = std::getenv("LOCUS_API_KEY"); key != nullptr && *key != '\0') {
    keys.emplace_back(key);
  }
  if (!request.key_file.empty()) {
    constexpr uint64_t kMost = uint64_t{1} << 20;
    const std::vector<std::string> more = serve::read_api_keys(read_file(request.key_file, kMost));
    require(!more.empty(), "no API key in {}, expected one per line", quote(request.key_file));
    keys.insert(keys.end(), more.begin(), more.end());
  }
  for (const std::string& key : keys) {
    if (key.empty()) fail(Fault::usage, "an API key is empty");
  }
}

std::function<void(const serve::RequestRecord&)> log_of(const std::string& name) {
  if (name == "none") return {};
  const auto line = name == "json" ? serve::json_line : serve::text_line;
  return [line](const serve::RequestRecord& record) { tell(line(record, std::chrono::system_clock::now())); };
}

int wait_for_signal(const StopSignals& signals) {
  while (!signals.requested()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return signals.signal();
}

void run(ServeRequest request) {
  collect_keys(request);
  std::vector<serve::Listener> listeners = listeners_of(request);
  std::vector<std::string> addresses;
  for (const serve::Listener& listener : listeners) addresses.push_back(listener.address);
  request.access.loopback_host = check_host(request.access, listeners);
  const serve::Access access(request.access);
  request.service.folder = request.folder;
  request.service.token_ids = !request.no_token_ids;
  serve::Service service(request.service);
  serve::HttpServer server(
      std::move(listeners), request.limits,
      {.handle = [&](serve::HttpRequest call,
                     const std::shared_ptr<serve::Reply>& reply) { service.handle(std::move(call), reply); },
       .admit = [&](const serve::HttpRequest& head) { return access.admit(head); },
       .finished = log_of(request.log),
       .counted = [&](size_t connections) { service.set_connections(connections); }});
  service.wait_until_ready();  // until then a signal ends the process
  warn(service.warnings());
  const StopSignals signals;
  for (const std::string& address : addresses) tell(fmt::format("ready on {}\n", address));
  const int signal = wait_for_signal(signals);
  note(fmt::format("signal {}: finishing the requests that have arrived", signal));
  server.drain();
  service.drain(request.grace);
  constexpr Milliseconds kLastBytes{2'000};
  server.wait_until_closed(kLastBytes);
  throw Stopped{signal};
}

void add_address_options(Command& command, ServeRequest& request) {
  command.option("--host", request.host, "Address to listen on; 0.0.0.0 for all addresses of this machine")
      .shows_default();
  command
      .option_to<int>(
          "--port", [&](int port) { request.port = port; }, "Port; 0 chooses a free one [8080]")
      .between(0, 65535);
  command.option("--unix", request.unix_path, "Listen on a socket file instead");
}

void add_access_options(Command& command, ServeRequest& request) {
  command
      .option("--api-key", request.access.api_keys,
              "Key that requests must send; may be repeated. Also from the variable LOCUS_API_KEY")
      .repeated();
  command.option("--api-key-file", request.key_file, "File with one API key per line");
  command.option("--metrics-key", request.access.metrics_key, "Key for /metrics, which is public otherwise");
  command.option("--cors-origin", request.access.cors_origin,
                 "Origin whose web pages may read answers, such as https://example.org, or * for all");
}

void add_limit_options(Command& command, ServeRequest& request) {
  serve::ServiceOptions& service = request.service;
  serve::ServerLimits& limits = request.limits;
  constexpr int kMost = 1 << 24;
  const auto seconds = [&command](const std::string& name, Milliseconds& time, const std::string& meaning) {
    command
        .option_to<int>(
            name, [&time](int value) { time = std::chrono::seconds(value); }, meaning)
        .between(0, 86'400);
  };
  const auto count = [&command](const std::string& name, size_t& value, int most,
                                const std::string& meaning) {
    command
        .option_to<int>(
            name, [&value](int given) { value = static_cast<size_t>(given); },
            fmt::format("{} [{}]", meaning, value))
        .between(1, most);
  };
  command.option("--batch-tokens", service.queue.batch_tokens, "Approximate number of tokens per batch")
      .between(1, kMost)
      .shows_default();
  command
      .option("--queue-tokens", service.queue.waiting_tokens,
              "Most tokens that may wait; requests beyond it are refused (429)")
      .between(1, kMost)
      .shows_default();
  count("--max-requests", service.max_requests, kMost, "Most unanswered requests; others are refused (429)");
  count("--max-inputs", service.max_inputs, kMost, "Most texts in a request");
  command
      .option_to<int>(
          "--max-body", [&](int mebibytes) { limits.request.body = static_cast<size_t>(mebibytes) << 20; },
          "Largest body of a request, in MiB [16]")
      .between(1, 1024);
  count("--max-connections", limits.connections, 100'000, "Most connections at a time");
  count("--max-per-address", limits.per_address, 100'000, "Most connections of one IP address at a time");
  seconds("--timeout", service.queue.wait, "Seconds that a request may wait before its first batch [60]");
  command
      .option_to<int>(
          "--hang", [&](int value) { service.queue.hang = value; },
          fmt::format(
              "Seconds of a batch after which /health fails, if that is also 10 times its estimate [{:.0f}]",
              service.queue.hang))
      .between(1, 86'400);
  seconds("--grace", request.grace, "Seconds to finish requests after SIGTERM or SIGINT [30]");
}

}  // namespace

void add_serve(CLI::App& program) {
  Command command(program, "serve", "Answer HTTP requests with one model");
  command.footer(
      "Routes: those of the OpenAI API (/v1/embeddings, ...), of Text Embeddings Inference (/embed, ...) "
      "and\n"
      "of the commands (/classify, ...), also /health and /metrics. The model decides which it answers.\n"
      "Requests are answered with status 503 until the model is loaded; then `ready on ADDRESS` is printed.\n"
      "Sockets that systemd passes replace --host, --port and --unix.\n\n"
      "Examples:\n"
      "  locus serve models/all-MiniLM-L6-v2 --port 8080\n"
      "  curl localhost:8080/embed -H 'content-type: application/json' -d '{\"inputs\": \"The dog ran.\"}'");
  auto request = std::make_shared<ServeRequest>();
  command.option("DIR", request->folder, "A Hugging Face model folder, a run, or a checkpoint of a run")
      .required();
  add_address_options(command, *request);
  add_access_options(command, *request);
  command.option("--model-name", request->service.name, "Name of the model in answers [name of the folder]");
  command.flag("--strict-model", request->service.strict_model,
               "Refuse requests for a model of another name");
  command.flag("--truncate", request->service.truncate,
               "Cut texts that are longer than the model can read, unless a request has truncate=false");
  command.flag("--no-token-ids", request->no_token_ids,
               "Refuse requests with token ids instead of texts: clients may have another vocabulary");
  add_limit_options(command, *request);
  command.option("--log", request->log, "Format of the lines on stderr, one per request")
      .one_of({"text", "json", "none"})
      .shows_default();
  add_dtype(command, request->service.weights);
  add_device(command, request->service.device);
  add_threads(command);
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli

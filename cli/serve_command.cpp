// plumb serve MODEL: a page on this machine alone, whose sliders run the model again.
//
// Only the loopback address is listened on, every request must carry a token that only the printed address holds and
// name this machine as its host (so that no other site can talk to it through the browser), and nothing is read but the
// model, once, at the start.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <random>
#include <nlohmann/json.hpp>

#include "plumb/plumb.h"
#include "plumb/report/sliders.h"
#include "commands.h"
#include "model_arguments.h"
#include "text.h"

// Last: it brings in resolv.h, whose macro _res is a name in Eigen.
#include <httplib.h>

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds longest_run(20);
constexpr std::size_t longest_request = 64 * 1024;

std::string make_token() {
  std::random_device source;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", source());
  return token;
}

class ModelServer {
 public:
  explicit ModelServer(Model model) : model_(std::move(model)), token_(make_token()) {
    server_.set_payload_max_length(longest_request);
    server_.set_default_headers({{"Cache-Control", "no-store"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"X-Frame-Options", "DENY"}});
    server_.Get("/", [this](const httplib::Request& request, httplib::Response& response) {
      if (may(request, request.get_param_value("token"), response))
        response.set_content(page_around(first_page(), true), "text/html; charset=utf-8");
    });
    server_.Post("/run", [this](const httplib::Request& request, httplib::Response& response) {
      if (may(request, request.get_header_value("X-Plumb-Token"), response)) answer(request, response);
    });
  }

  // Throws InputError when the port is taken.
  void bind(int port) {
    port_ = port == 0 ? server_.bind_to_any_port("127.0.0.1") : server_.bind_to_port("127.0.0.1", port) ? port : -1;
    if (port_ <= 0) throw InputError(fmt::format("--port {}: cannot be listened on; is it taken?", port));
  }
  std::string address() const { return fmt::format("http://127.0.0.1:{}/?token={}", port_, token_); }
  void listen() { server_.listen_after_bind(); }

  // The model as it stands in the file, with what can be moved.
  Json first_page() {
    Json data = run({});
    data["live"] = {
        {"token", token_}, {"parameters", json(parameter_sliders(model_))}, {"initial", json(start_sliders(model_))}};
    return data;
  }

 private:
  bool may(const httplib::Request& request, const std::string& token, httplib::Response& response) const {
    const std::string host = request.get_header_value("Host");
    if (token == token_ && (host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_)))
      return true;
    response.status = 403;
    response.set_content("use the address that plumb serve printed\n", "text/plain; charset=utf-8");
    return false;
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    Json reply;
    try {
      reply = run(Json::parse(request.body).get<std::map<std::string, double>>());
    } catch (const Json::exception&) {
      reply = {{"error", "a JSON object of names and numbers is expected"}};
    } catch (const std::exception& e) {
      reply = {{"error", e.what()}};
    }
    if (reply.contains("error")) response.status = 400;
    response.set_content(reply.dump(-1, ' ', false, Json::error_handler_t::replace), "application/json");
  }

  Json run(const std::map<std::string, double>& values) {
    const std::lock_guard<std::mutex> one_at_a_time(running_);
    const Model model = moved(model_, values);
    const auto began = std::chrono::steady_clock::now();
    RunOptions options;
    std::stop_source stop;
    options.stop = stop.get_token();
    options.on_progress = [&](double) {
      if (std::chrono::steady_clock::now() - began > longest_run) stop.request_stop();
    };
    Result result = simulate(model, options);
    if (result.outcome.kind == Outcome::Kind::cancelled)
      result.outcome.reason = fmt::format("given up after {} s at {:.0f} % of the run", longest_run.count(),
                                          100 * result.outcome.time / result.duration);
    if (result.trajectory.rows() == 0) throw InputError(result.outcome.describe());
    return page_data(stored(model, result));
  }

  Model model_;
  std::string token_;
  int port_ = 0;
  httplib::Server server_;
  std::mutex running_;
};

// The user's browser, where there is one and someone sits in front of it.
void open_in_browser(const std::string& address) {
  if (!is_terminal(1) || (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY"))) return;
  if (fork() == 0) {
    execlp("xdg-open", "xdg-open", address.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
}

}  // namespace

int serve(const ServeArguments& a) {
  if (a.port < 0 || a.port > 65535) throw InputError(fmt::format("--port {}: must lie between 0 and 65535", a.port));
  ModelServer server(read(a.model));
  server.first_page();  // a model that cannot run is refused here, not in the browser
  server.bind(a.port);
  fmt::print("{}\n", server.address());
  if (is_terminal(1)) fmt::print("Ctrl-C ends it; only this machine can see it.\n");
  std::fflush(stdout);
  open_in_browser(server.address());
  server.listen();
  return done;
}

}  // namespace plumb::cli

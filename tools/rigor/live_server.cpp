#include "tools/rigor/live_server.hpp"

#include <fmt/format.h>

#include <utility>  // which Boost 1.74 forgets

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

namespace rigor {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::error_code;
using tcp = asio::ip::tcp;

namespace {

constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::size_t kMaxMessage = 256;  // bytes that a client may say at once
constexpr std::size_t kMaxHeader = 8192;  // of a request
constexpr std::size_t kMaxPending = 64;   // commands nobody has taken yet
constexpr std::size_t kMaxGoing = 16;     // clients beyond the most, while those that were dropped still go

struct Message {
  std::string bytes;
  bool is_text{false};
};
using MessagePtr = std::shared_ptr<const Message>;

}  // namespace

struct LiveServer::State : std::enable_shared_from_this<LiveServer::State> {
  class Session;

  explicit State(std::string page_text, const Options& wanted)
      : page(std::move(page_text)), options(wanted) {}

  const std::string page;
  const Options options;
  std::uint16_t port{0};
  asio::io_context io{1};
  std::vector<tcp::acceptor> acceptors;
  std::thread thread;

  // below: of the server's thread alone
  MessagePtr greeting;
  std::deque<MessagePtr> history;
  std::uint64_t first{0};  // number of history[0]; grows for ever
  std::size_t history_bytes{0};
  std::vector<std::weak_ptr<Session>> streams;
  std::deque<std::weak_ptr<Session>>
      waiting;  // clients that have not yet their page or stream, the oldest first
  std::size_t clients{0};

  std::mutex mutex;
  std::vector<std::string> commands;

  void listen();
  void accept(tcp::acceptor& acceptor);
  void accept_later(tcp::acceptor& acceptor);
  void drop_waiting();
  void add(MessagePtr message);
  void wake();
  void take(const std::string& command);
  [[nodiscard]] bool is_own(beast::string_view host) const;
};

// One connection: a request, then a response or the stream.
class LiveServer::State::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<State> state, tcp::socket socket)
      : state_(std::move(state)), stream_(std::move(socket)), timer_(state_->io) {
    ++state_->clients;
  }
  ~Session() { --state_->clients; }

  void start() {
    parser_.header_limit(kMaxHeader);
    parser_.body_limit(0);
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (!error) self->answer();
    });
  }

  /// Whether it has neither its page nor a stream.
  [[nodiscard]] bool is_waiting() const { return !socket_ && !is_closed_; }
  /// Another one needs its place.
  void drop() {
    is_closed_ = true;
    stream_.close();
  }

  /// There is something new.
  void wake() {
    if (!is_writing_) write_next();
  }
  /// The history begins anew.
  void rewind(MessagePtr note) {
    next_ = state_->first;
    note_ = std::move(note);
    wake();
  }

 private:
  void answer() {
    const auto& request = parser_.get();
    const beast::string_view origin = request[http::field::origin];
    const bool is_foreign =
        !origin.empty() && !(origin.starts_with("http://") && state_->is_own(origin.substr(7)));
    // two of them: a proxy and we might believe different ones
    if (request.count(http::field::host) != 1 || request.count(http::field::origin) > 1)
      return respond(http::status::bad_request, "One Host, please.\n");
    if (!state_->is_own(request[http::field::host]) || is_foreign)
      return respond(http::status::forbidden, "Only this computer may ask.\n");
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return respond(http::status::method_not_allowed, "There is nothing to send here.\n");
    if (request.target() == "/live" && websocket::is_upgrade(request)) {
      // half of the places are for those who only want the page
      std::erase_if(state_->streams, [](const std::weak_ptr<Session>& one) { return one.expired(); });
      if (state_->streams.size() < std::max<std::size_t>(1, state_->options.max_clients / 2))
        return open_stream();
      return respond(http::status::service_unavailable, "Too many are watching.\n");
    }
    if (request.target() == "/") return respond(http::status::ok, state_->page);
    respond(http::status::not_found, "There is only /.\n");
  }

  // `text` must stay where it is: the page, or a literal.
  void respond(http::status status, std::string_view text) {
    auto response = std::make_shared<http::response<http::span_body<const char>>>(status, 11);
    response->set(http::field::content_type,
                  status == http::status::ok ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");
    response->set(http::field::cache_control, "no-store");
    response->set("X-Content-Type-Options", "nosniff");
    response->set(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
        "connect-src 'self'; frame-ancestors 'none'");
    response->keep_alive(false);
    response->content_length(text.size());
    if (parser_.get().method() != http::verb::head)
      response->body() = boost::beast::span<const char>(text.data(), text.size());
    stream_.expires_after(kPatience);
    http::async_write(stream_, *response, [self = shared_from_this(), response](error_code, std::size_t) {
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  void open_stream() {
    stream_.expires_never();  // from here on the stream's own clock counts
    socket_.emplace(std::move(stream_));
    websocket::stream_base::timeout patience{};
    patience.handshake_timeout = kPatience;
    patience.idle_timeout = std::chrono::seconds(30);
    patience.keep_alive_pings = true;
    socket_->set_option(patience);
    socket_->read_message_max(kMaxMessage);
    socket_->auto_fragment(false);  // messages go out as they are
    socket_->async_accept(parser_.get(), [self = shared_from_this()](error_code error) {
      if (error) return;
      self->state_->streams.push_back(self);
      self->next_ = self->state_->first;
      self->note_ = self->state_->greeting;
      self->read();
      self->wake();
    });
  }

  void read() {
    heard_.consume(heard_.size());
    socket_->async_read(heard_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->close();
      if (!self->state_->options.takes_commands) return self->close();
      self->state_->take(beast::buffers_to_string(self->heard_.data()));
      self->read();
    });
  }

  void write_next() {
    if (is_closed_) return;
    if (next_ < state_->first) next_ = state_->first;  // what it was too slow for is gone
    MessagePtr message = std::exchange(note_, nullptr);
    if (!message) {
      const std::uint64_t i = next_ - state_->first;
      if (i >= state_->history.size()) return;
      message = state_->history[i];
      ++next_;
    }
    is_writing_ = true;
    timer_.expires_after(kPatience);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->close();  // it does not listen
    });
    socket_->text(message->is_text);
    socket_->async_write(asio::buffer(message->bytes),
                         [self = shared_from_this(), message](error_code error, std::size_t) {
                           self->is_writing_ = false;
                           self->timer_.cancel();
                           if (error) return self->close();
                           self->write_next();
                         });
  }

  void close() {
    if (std::exchange(is_closed_, true)) return;
    timer_.cancel();
    error_code ignored;
    beast::get_lowest_layer(*socket_).socket().close(ignored);
  }

  std::shared_ptr<State> state_;
  beast::tcp_stream stream_;
  asio::steady_timer timer_;
  beast::flat_buffer buffer_{2 * kMaxHeader};
  http::request_parser<http::empty_body> parser_;
  std::optional<websocket::stream<beast::tcp_stream>> socket_;
  beast::flat_buffer heard_;
  MessagePtr note_;
  std::uint64_t next_{0};
  bool is_writing_{false}, is_closed_{false};
};

// Host: one of our names with our port.
bool LiveServer::State::is_own(beast::string_view host) const {
  const std::string own = fmt::format(":{}", port);
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"})
    if (host == name + own) return true;
  return false;
}

void LiveServer::State::listen() {
  const auto add = [&](const char* address, std::uint16_t wanted, bool is_needed) {
    const tcp::endpoint endpoint(asio::ip::make_address(address), wanted);
    tcp::acceptor acceptor(io);
    error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error && endpoint.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only(true), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error && is_needed)
      throw std::runtime_error(fmt::format("{}:{} cannot be listened at ({}). Give another --port, or none.",
                                           address, wanted, error.message()));
    if (error) return;  // a computer without IPv6
    port = acceptor.local_endpoint().port();
    acceptors.push_back(std::move(acceptor));
  };
  add("127.0.0.1", options.port, true);
  add("::1", port, false);
  for (tcp::acceptor& acceptor : acceptors) accept(acceptor);
}

void LiveServer::State::accept(tcp::acceptor& acceptor) {
  acceptor.async_accept([state = shared_from_this(), &acceptor](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) return state->accept_later(acceptor);
    if (state->clients >= state->options.max_clients) state->drop_waiting();
    // too many streams: the socket closes as it goes
    if (state->clients < state->options.max_clients + kMaxGoing) {
      const auto session = std::make_shared<Session>(state, std::move(socket));
      std::erase_if(state->waiting, [](const std::weak_ptr<Session>& one) {
        const auto other = one.lock();
        return !other || !other->is_waiting();
      });
      state->waiting.push_back(session);
      session->start();
    }
    state->accept(acceptor);
  });
}

// No descriptor is left, say: asking again at once would only spin.
void LiveServer::State::accept_later(tcp::acceptor& acceptor) {
  for (std::size_t i = 0; i < kMaxGoing; ++i) drop_waiting();
  const auto timer = std::make_shared<asio::steady_timer>(io, std::chrono::milliseconds(100));
  timer->async_wait([state = shared_from_this(), &acceptor, timer](error_code error) {
    if (!error) state->accept(acceptor);
  });
}

// Who connects and says nothing keeps nobody out: the oldest of them goes.
void LiveServer::State::drop_waiting() {
  while (!waiting.empty()) {
    const auto session = waiting.front().lock();
    waiting.pop_front();
    if (!session || !session->is_waiting()) continue;
    return session->drop();
  }
}

void LiveServer::State::add(MessagePtr message) {
  history_bytes += message->bytes.size();
  history.push_back(std::move(message));
  while (history_bytes > options.max_history && history.size() > 1) {
    history_bytes -= history.front()->bytes.size();
    history.pop_front();
    ++first;
  }
  wake();
}

void LiveServer::State::wake() {
  std::erase_if(streams, [](const std::weak_ptr<Session>& one) { return one.expired(); });
  for (const std::weak_ptr<Session>& one : streams)
    if (const auto session = one.lock()) session->wake();
}

void LiveServer::State::take(const std::string& command) {
  const std::lock_guard lock(mutex);
  if (commands.size() < kMaxPending) commands.push_back(command);
}

LiveServer::LiveServer(std::string page, const Options& options)
    : state_(std::make_shared<State>(std::move(page), options)) {
  state_->listen();
  state_->thread = std::thread([state = state_.get()] { state->io.run(); });
}

LiveServer::~LiveServer() {
  state_->io.stop();
  state_->thread.join();
  state_->acceptors.clear();
}

std::uint16_t LiveServer::port() const {
  return state_->port;
}

std::string LiveServer::url() const {
  return fmt::format("http://127.0.0.1:{}/", state_->port);
}

void LiveServer::set_greeting(std::string text) {
  asio::post(state_->io, [state = state_, message = std::make_shared<const Message>(Message{
                                              std::move(text), true})] { state->greeting = message; });
}

void LiveServer::publish(std::string bytes) {
  asio::post(state_->io, [state = state_, message = std::make_shared<const Message>(
                                              Message{std::move(bytes), false})] { state->add(message); });
}

void LiveServer::restart(std::string text) {
  asio::post(state_->io,
             [state = state_, message = std::make_shared<const Message>(Message{std::move(text), true})] {
               state->first += state->history.size();
               state->history.clear();
               state->history_bytes = 0;
               for (const std::weak_ptr<State::Session>& one : state->streams)
                 if (const auto session = one.lock()) session->rewind(message);
             });
}

std::vector<std::string> LiveServer::take_commands() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->commands, {});
}

}  // namespace rigor

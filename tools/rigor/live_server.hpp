#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rigor {

/// Serves one page, and a stream of messages to those who have it open, on the loopback addresses alone.
///
/// Nobody else can reach it: it binds 127.0.0.1 and ::1, answers only where Host names one of them, and lets
/// a page of another origin have nothing. There are no files: `/` is the page, `/live` the stream, all else
/// is not found. A client that takes longer than 10 s over anything is cut off, and at once where others come and
/// all places are taken; streams take at most half of them. All read the same history of messages, each at its own
/// place, so that a slow one costs nothing.
///
/// It works in a thread of its own; the functions may be called from any other one.
class LiveServer {
 public:
  struct Options {
    std::uint16_t port{0};       // 0: any that is free
    bool takes_commands{false};  // else what clients say ends their connection
    std::size_t max_clients{256};
    std::size_t max_history{64u << 20};  // bytes; the oldest messages are dropped
  };

  /// Throws std::runtime_error where the port cannot be had.
  LiveServer(std::string page, const Options& options);
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  /// http://127.0.0.1:PORT/
  [[nodiscard]] std::string url() const;

  /// Sent to every client when it comes, before the history.
  void set_greeting(std::string text);
  /// Adds to the history.
  void publish(std::string bytes);
  /// Forgets the history, and tells the clients by `text`.
  void restart(std::string text);

  /// What clients asked for since the last call, in order: "pause", "play", "step", "reset".
  [[nodiscard]] std::vector<std::string> take_commands();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rigor

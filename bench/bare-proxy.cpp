/*
 * bare-proxy: the lower bound of any proxy, whatever its language. It passes bytes between clients
 * and an upstream on connections that both sides keep, and reads only how each answer is framed,
 * which tells when its upstream connection is free again. It has no routes, headers of its own,
 * limits, log or time limits.
 *
 * One thread, one epoll loop. Clients may not send a request before they have the answer to the
 * one before, as loadgen does not. While one side does not take what was received, nothing more is
 * read from the other side.
 *
 *   bare-proxy PORT UPSTREAM_PORT
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int CONNECTIONS_MAX = 16384;
constexpr int EVENTS_MAX = 512;
constexpr size_t READ_SIZE = 256 * 1024;
constexpr size_t HEAD_MAX = 16 * 1024;
constexpr int BACKLOG = 4096;

/* The end of an answer, found by its framing. */
class Framing {
 public:
  enum class State { open, ended, broken };

  void reset() { *this = Framing(); }

  State take(std::string_view bytes) {
    while (!bytes.empty() && state_ == State::open) bytes.remove_prefix(step(bytes));
    // Bytes after the end belong to no request.
    return bytes.empty() ? state_ : State::broken;
  }

 private:
  enum class Part { head, sized, chunk_size, chunk, chunk_end, trailer };

  State state_ = State::open;
  Part part_ = Part::head;
  std::string head_;
  uint64_t left_ = 0;

  size_t step(std::string_view bytes) {
    switch (part_) {
      case Part::head: return take_head(bytes);
      case Part::sized: return take_sized(bytes, Part::sized);
      case Part::chunk: return take_sized(bytes, Part::chunk_end);
      case Part::chunk_size: return take_size(bytes[0]);
      case Part::chunk_end: part_ = bytes[0] == '\n' ? Part::chunk_size : part_; return 1;
      default: if (bytes[0] == '\n') state_ = State::ended; return 1;
    }
  }

  size_t take_head(std::string_view bytes) {
    size_t before = head_.size();
    head_ += bytes;
    size_t end = head_.find("\r\n\r\n", before > 3 ? before - 3 : 0);
    if (end == std::string::npos) {
      if (head_.size() > HEAD_MAX) state_ = State::broken;
      return bytes.size();
    }
    head_.resize(end + 2);
    const char *length = strcasestr(head_.c_str(), "\r\ncontent-length:");
    if (strcasestr(head_.c_str(), "\r\ntransfer-encoding: chunked")) part_ = Part::chunk_size;
    else if (length) part_ = Part::sized, left_ = strtoull(length + 17, nullptr, 10);
    else state_ = State::broken;
    if (part_ == Part::sized && left_ == 0) state_ = State::ended;
    return end + 4 - before;
  }

  size_t take_sized(std::string_view bytes, Part next) {
    size_t part = std::min<uint64_t>(bytes.size(), left_);
    left_ -= part;
    if (left_ > 0) return part;
    if (next == Part::sized) state_ = State::ended;
    part_ = next;
    return part;
  }

  size_t take_size(char byte) {
    if (byte == '\n') part_ = left_ > 0 ? Part::chunk : Part::trailer;
    else if (byte >= '0' && byte <= '9') left_ = left_ * 16 + (byte - '0');
    else if (byte != '\r') left_ = left_ * 16 + ((byte | 0x20) - 'a' + 10);
    return 1;
  }
};

struct Connection {
  int fd = -1;
  bool is_client = false;
  bool is_connecting = false;
  bool is_watched = false;
  uint32_t watched = 0;
  /* The other side of a request that has begun. */
  Connection *peer = nullptr;
  Framing answer;
  std::string kept;
  size_t kept_sent = 0;
};

std::array<Connection, CONNECTIONS_MAX> connections;
std::vector<Connection *> idle_upstreams;
sockaddr_in upstream_address;
int poll_fd;

void watch(Connection &c, uint32_t events) {
  if (c.is_watched && c.watched == events) return;
  epoll_event e = {};
  e.events = events;
  e.data.ptr = &c;
  epoll_ctl(poll_fd, c.is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, c.fd, &e);
  c.is_watched = true;
  c.watched = events;
}

Connection *open_connection(int fd, bool is_client) {
  int on = 1;
  if (fd < 0) return nullptr;
  if (fd >= CONNECTIONS_MAX) return close(fd), nullptr;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  Connection &c = connections[fd];
  c = Connection();
  c.fd = fd;
  c.is_client = is_client;
  return &c;
}

void close_one(Connection &c) {
  close(c.fd);
  c.fd = -1;
  std::erase(idle_upstreams, &c);
}

/* A request that loses one side loses the other one too. */
void drop(Connection &c) {
  if (c.peer) close_one(*c.peer);
  close_one(c);
}

Connection *take_upstream() {
  if (!idle_upstreams.empty()) {
    Connection *c = idle_upstreams.back();
    idle_upstreams.pop_back();
    return c;
  }
  Connection *c = open_connection(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), false);
  if (!c) return nullptr;
  auto address = reinterpret_cast<sockaddr *>(&upstream_address);
  c->is_connecting = connect(c->fd, address, sizeof upstream_address) != 0;
  watch(*c, EPOLLIN | (c->is_connecting ? EPOLLOUT : 0u));
  return c;
}

/* The functions below return false if the connection is lost. */
bool pass(Connection &to, std::string_view bytes) {
  if (to.kept.empty() && !to.is_connecting) {
    ssize_t sent = send(to.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return false;
    if (sent > 0) bytes.remove_prefix(sent);
  }
  if (bytes.empty()) return true;
  to.kept += bytes;
  watch(to, to.watched | EPOLLOUT);
  watch(*to.peer, to.peer->watched & ~EPOLLIN);
  return true;
}

bool send_kept(Connection &c) {
  c.is_connecting = false;
  if (c.kept.size() > c.kept_sent) {
    auto rest = std::string_view(c.kept).substr(c.kept_sent);
    ssize_t sent = send(c.fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN;
    c.kept_sent += sent;
    if (c.kept_sent < c.kept.size()) return true;
    c.kept.clear();
    c.kept_sent = 0;
  }
  watch(c, c.watched & ~EPOLLOUT);
  if (c.peer) watch(*c.peer, c.peer->watched | EPOLLIN);
  return true;
}

bool receive(Connection &c) {
  static std::array<char, READ_SIZE> buffer;
  ssize_t got = recv(c.fd, buffer.data(), buffer.size(), 0);
  if (got < 0) return errno == EAGAIN;
  if (got == 0) return false;
  if (c.is_client && !c.peer) {
    c.peer = take_upstream();
    if (!c.peer) return false;
    c.peer->peer = &c;
    c.peer->answer.reset();
  }
  if (!c.peer) return false;
  std::string_view bytes(buffer.data(), got);
  auto state = c.is_client ? Framing::State::open : c.answer.take(bytes);
  if (state == Framing::State::broken || !pass(*c.peer, bytes)) return false;
  if (state == Framing::State::open) return true;
  c.peer->peer = nullptr;
  c.peer = nullptr;
  watch(c, EPOLLIN);
  idle_upstreams.push_back(&c);
  return true;
}

void accept_all(int listener) {
  for (int fd; (fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK)) >= 0;) {
    if (Connection *c = open_connection(fd, true)) watch(*c, EPOLLIN);
  }
}

sockaddr_in loopback(const char *port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(atoi(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int open_listener(const char *port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = loopback(port);
  if (bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) || listen(fd, BACKLOG)) {
    perror("bare-proxy: listen");
    exit(1);
  }
  return fd;
}

}  // namespace

int main(int count, char **arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: bare-proxy PORT UPSTREAM_PORT\n");
    return 2;
  }
  upstream_address = loopback(arguments[2]);
  poll_fd = epoll_create1(0);
  int listener = open_listener(arguments[1]);
  epoll_event e = {};
  e.events = EPOLLIN;
  epoll_ctl(poll_fd, EPOLL_CTL_ADD, listener, &e);
  std::array<epoll_event, EVENTS_MAX> events;
  for (;;) {
    int n = epoll_wait(poll_fd, events.data(), events.size(), -1);
    for (int i = 0; i < n; i++) {
      auto c = static_cast<Connection *>(events[i].data.ptr);
      if (!c) accept_all(listener);
      else if (c->fd < 0) continue;
      else if ((events[i].events & EPOLLOUT) && !send_kept(*c)) drop(*c);
      else if (c->fd >= 0 && (events[i].events & ~EPOLLOUT) && !receive(*c)) drop(*c);
    }
  }
}

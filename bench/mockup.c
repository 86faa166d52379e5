/*
 * mockup: an upstream that costs next to nothing, for measuring gateways. It speaks OpenAI's chat
 * completions, and at their paths the streams of Responses, Anthropic's Messages and Gemini.
 *
 * One thread, one epoll loop, nothing allocated per request. Every answer is built at start; the
 * only work per chunk is writing numbers into the event. OpenAI pads its events, and in the padding
 * stand the time of sending (CLOCK_MONOTONIC, 19 digits) and the nanoseconds since the request was
 * read (12 digits). From these, loadgen on the same machine computes the latency of each chunk, and
 * of the first without the mock's pause. Events of Responses are numbered too.
 *
 *   POST   answers with JSON, or with an SSE stream when the body says "stream":true
 *            "max_tokens":N        content events of the stream, under the name of the path's API
 *            mock_delay_us N       pause before each event; may stand anywhere, for example in
 *                                  OpenAI's "metadata" or in a text, which no translation changes
 *   GET    answers with the counters {"requests", "connections", "used_once"}: connections that
 *          carried a POST, and those the gateway closed, while idle, after a single one
 *
 * The mock searches only the first and the last KiB of the body for these options.
 *
 *   mockup PORT
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "mock-streams.h"

enum {
  CONNECTIONS_MAX = 4096,
  BODY_MAX = 16 << 20,
  READ_SIZE = 65536,
  OPTION_BYTES = 1024,
  EVENTS = 512
};

#define HEAD_COMMON                                                                             \
  "x-request-id: req_0123456789abcdef0123456789abcdef\r\nopenai-processing-ms: 42\r\n"          \
  "openai-version: 2020-10-01\r\nConnection: keep-alive\r\n\r\n"

static const char stream_head[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    "Transfer-Encoding: chunked\r\nCache-Control: no-cache\r\n" HEAD_COMMON;

typedef struct {
  int fd, open, served, streaming, wants_out, heap_index, chunks_left, chunks_sent;
  Wire *wire;
  uint64_t pause_ns, due_ns, asked_ns;
  char *in, *out;
  size_t in_length, in_room, out_length, out_sent, out_room;
} Connection;

static Connection connections[CONNECTIONS_MAX];
static Connection *heap[CONNECTIONS_MAX];
static int heap_size, poll_fd;
static uint64_t requests_count, connections_count, used_once_count;
static char json_answer[8192];
static size_t json_length;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* ---- timers: a heap, the earliest first ---- */

static void heap_set(int i, Connection *c) {
  heap[i] = c;
  c->heap_index = i;
}

static void heap_move(int i) {
  Connection *c = heap[i];
  for (; i > 0 && heap[(i - 1) / 2]->due_ns > c->due_ns; i = (i - 1) / 2) {
    heap_set(i, heap[(i - 1) / 2]);
  }
  for (;;) {
    int child = 2 * i + 1;
    if (child + 1 < heap_size && heap[child + 1]->due_ns < heap[child]->due_ns) child++;
    if (child >= heap_size || heap[child]->due_ns >= c->due_ns) break;
    heap_set(i, heap[child]);
    i = child;
  }
  heap_set(i, c);
}

static void timer_set(Connection *c, uint64_t due_ns) {
  c->due_ns = due_ns;
  if (c->heap_index < 0) heap_set(heap_size++, c);
  heap_move(c->heap_index);
}

static void timer_clear(Connection *c) {
  int i = c->heap_index;
  if (i < 0) return;
  c->heap_index = -1;
  Connection *last = heap[--heap_size];
  if (last == c) return;
  heap_set(i, last);
  heap_move(i);
}

/* ---- the answers ---- */

static void build_answers(void) {
  static const char words[] = "The quick brown fox jumps over the lazy dog while it counts. ";
  char text[1024] = "", body[4096];
  while (strlen(text) + sizeof words < sizeof text) strcat(text, words);
  int length = snprintf(body, sizeof body,
      ID "\"," MADE "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
      "\"content\":\"%s\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"stop\"}],"
      USAGE ",\"service_tier\":\"default\"}", text);
  json_length = snprintf(json_answer, sizeof json_answer,
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
      HEAD_COMMON "%s",
      length, body);
  build_streams();
}

/* ---- connections; int functions return -1 if the connection is closed ---- */

static void watch_out(Connection *c, int wanted) {
  if (c->wants_out == wanted) return;
  c->wants_out = wanted;
  struct epoll_event e = {.events = EPOLLIN | (wanted ? EPOLLOUT : 0), .data.ptr = c};
  epoll_ctl(poll_fd, EPOLL_CTL_MOD, c->fd, &e);
}

static void drop(Connection *c) {
  if (c->served == 1 && !c->streaming) used_once_count++;
  timer_clear(c);
  close(c->fd);
  free(c->in);
  free(c->out);
  memset(c, 0, sizeof *c);
}

static int send_or_keep(Connection *c, const char *bytes, size_t n) {
  if (c->out_length == c->out_sent) {
    c->out_length = c->out_sent = 0;
    ssize_t sent = send(c->fd, bytes, n, MSG_NOSIGNAL);
    if (sent == (ssize_t)n) return 0;
    if (sent < 0 && errno != EAGAIN) return -1;
    if (sent > 0) bytes += sent, n -= sent;
  }
  if (c->out_length + n > c->out_room) {
    c->out_room = (c->out_length + n) * 2;
    c->out = realloc(c->out, c->out_room);
  }
  memcpy(c->out + c->out_length, bytes, n);
  c->out_length += n;
  watch_out(c, 1);
  return 0;
}

static int send_kept(Connection *c) {
  ssize_t sent = send(c->fd, c->out + c->out_sent, c->out_length - c->out_sent, MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) return -1;
  if (sent > 0) c->out_sent += sent;
  if (c->out_sent == c->out_length) watch_out(c, 0);
  return 0;
}

static int send_next_event(Connection *c) {
  Wire *wire = c->wire;
  if (c->chunks_left == 0) {
    c->streaming = 0;
    return send_or_keep(c, wire->end, wire->end_length);
  }
  c->chunks_left--;
  uint64_t now = now_ns();
  stamp_event(wire, now, now - c->asked_ns, c->chunks_sent++);
  timer_set(c, c->due_ns + c->pause_ns);
  return send_or_keep(c, wire->event, wire->event_length);
}

static int send_counters(Connection *c) {
  char body[128], answer[256];
  int length = sprintf(body, "{\"requests\":%lu,\"connections\":%lu,\"used_once\":%lu}",
      requests_count, connections_count, used_once_count);
  length = sprintf(answer,
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
      length, body);
  return send_or_keep(c, answer, length);
}

static long number_after(const char *text, const char *key) {
  const char *p = strstr(text, key);
  if (!p) return 0;
  p += strlen(key);
  return strtol(p + strspn(p, " :\"\\"), NULL, 10);
}

static int answer(Connection *c, const char *body, size_t length) {
  requests_count++;
  if (c->served++ == 0) connections_count++;
  char options[2 * OPTION_BYTES + 1];
  size_t start = length < OPTION_BYTES ? length : OPTION_BYTES;
  size_t end = length - start < OPTION_BYTES ? length - start : OPTION_BYTES;
  memcpy(options, body, start);
  memcpy(options + start, body + length - end, end);
  options[start + end] = 0;
  if (c->wire != &wires[GEMINI] && !strstr(options, "\"stream\":true")) return send_or_keep(c, json_answer, json_length);
  c->streaming = 1;
  c->chunks_sent = 0;
  c->chunks_left = number_after(options, c->wire->limit);
  c->pause_ns = number_after(options, "mock_delay_us") * 1000ull;
  c->asked_ns = now_ns();
  timer_set(c, c->asked_ns + c->pause_ns);
  if (send_or_keep(c, stream_head, sizeof stream_head - 1)) return -1;
  return c->wire->start_length ? send_or_keep(c, c->wire->start, c->wire->start_length) : 0;
}

/* Answers the complete requests in the buffer, in order. */
static int consume(Connection *c) {
  while (!c->streaming && c->in_length) {
    char *head_end = memmem(c->in, c->in_length, "\r\n\r\n", 4);
    if (!head_end) return c->in_length > READ_SIZE ? -1 : 0;
    *head_end = 0;
    const char *length_field = strcasestr(c->in, "\r\ncontent-length:");
    int is_get = !strncmp(c->in, "GET ", 4);
    c->wire = wire_of(c->in);
    *head_end = '\r';
    if (!is_get && !length_field) return -1;
    size_t head = head_end + 4 - c->in, body = length_field ? strtoul(length_field + 17, 0, 10) : 0;
    if (body > BODY_MAX) return -1;
    if (c->in_length < head + body) return 0;
    if (is_get ? send_counters(c) : answer(c, c->in + head, body)) return -1;
    c->in_length -= head + body;
    memmove(c->in, c->in + head + body, c->in_length);
  }
  return 0;
}

static int receive(Connection *c) {
  for (;;) {
    if (c->in_room - c->in_length < READ_SIZE) {
      c->in_room = c->in_length + 2 * READ_SIZE;
      c->in = realloc(c->in, c->in_room);
    }
    size_t room = c->in_room - c->in_length;
    ssize_t got = recv(c->fd, c->in + c->in_length, room, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) return -1;
    if (got > 0) c->in_length += got;
    if (got < (ssize_t)room) return consume(c);
  }
}

static void accept_all(int listener) {
  int fd, on = 1;
  while ((fd = accept4(listener, 0, 0, SOCK_NONBLOCK)) >= 0) {
    if (fd >= CONNECTIONS_MAX) {
      close(fd);
      continue;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Connection *c = &connections[fd];
    *c = (Connection){.fd = fd, .open = 1, .heap_index = -1};
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &e);
  }
}

static int open_listener(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons(port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(fd, (void *)&address, sizeof address) || listen(fd, 4096)) {
    perror("mockup: listen");
    exit(1);
  }
  return fd;
}

static int wait_for_events(struct epoll_event *events) {
  struct timespec pause, *limit = NULL;
  if (heap_size) {
    uint64_t now = now_ns(), left = heap[0]->due_ns > now ? heap[0]->due_ns - now : 0;
    pause = (struct timespec){left / 1000000000, left % 1000000000};
    limit = &pause;
  }
  return epoll_pwait2(poll_fd, events, EVENTS, limit, NULL);
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: mockup PORT\n");
    return 2;
  }
  build_answers();
  poll_fd = epoll_create1(0);
  int listener = open_listener(atoi(arguments[1]));
  struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS];
  epoll_ctl(poll_fd, EPOLL_CTL_ADD, listener, &e);
  for (;;) {
    int n = wait_for_events(events);
    for (int i = 0; i < n; i++) {
      Connection *c = events[i].data.ptr;
      if (!c) accept_all(listener);
      else if (!c->open) continue;
      else if ((events[i].events & EPOLLOUT) && send_kept(c)) drop(c);
      else if ((events[i].events & ~EPOLLOUT) && receive(c)) drop(c);
    }
    uint64_t now = heap_size ? now_ns() : 0;
    while (heap_size && heap[0]->due_ns <= now) {
      Connection *c = heap[0];
      timer_clear(c);
      if (send_next_event(c) || (!c->streaming && consume(c))) drop(c);
    }
  }
}

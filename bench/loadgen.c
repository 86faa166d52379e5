/*
 * loadgen: an HTTP/1.1 load generator for LLM gateways that also reads the gateway's CPU bill.
 *
 * It sends one POST repeatedly, or with -u the GETs of a file in turn. Every answer to such a GET
 * must be an envelope with success.
 *
 * One thread, one epoll loop. Two ways to offer load:
 *   closed loop        each connection sends its next request as soon as it has the answer
 *   open loop (-r N)   N requests a second fall due whatever the gateway does; latency counts from
 *                      the moment a request was due, so a stall is charged to all that it held up.
 *                      They fall due at equal steps, or (-g) with exponentially distributed gaps,
 *                      as from independent clients
 * Every answer is checked: status, complete framing, and for a stream also the number of events and
 * the closing event. CPU per request is the CPU time of -P and its descendants in the measured
 * window, divided by the requests completed in it.
 *
 *   loadgen -p PORT {-b BODY_FILE | -u FILE_OF_PATHS} -c CONNECTIONS -d SECONDS
 *           [-n MEASURED_REQUESTS_AT_MOST] [-w WARM_UP_SECONDS] [-r RATE [-g]]
 *           [-l PATH_OF_THE_POST] [-t TEXT_OF_THE_CLOSING_EVENT] [-e STREAM_EVENTS]
 *           [-k KEY | -K FILE_OF_KEYS] [-P PID]        prints one line of JSON
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cpu-bill.h"
#include "histogram.h"

enum { HEAD_MAX = 16384, LINE_MAX_BYTES = 4096, QUEUE_SIZE = 1 << 20, EVENTS = 512, REQUESTS = 256 };
enum { IDLE, HEAD, SIZED, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILER };

typedef struct {
  char *bytes;
  size_t length;
} Request;

typedef struct {
  int fd, state, connecting, answered, status, is_stream, keep, events, done, size_digits;
  size_t request_sent, head_length, line_length;
  const Request *request;
  uint64_t due_ns, left, body_bytes;
  char head[HEAD_MAX], line[LINE_MAX_BYTES], size_text[20];
} Connection;

static struct {
  const char *body_file, *paths_file, *key, *keys_file, *path, *closing;
  int port, connections, events, pid;
  unsigned long requests;
  double rate, seconds, warm_up;
  int random_gaps;
} options = {.path = "/v1/chat/completions", .closing = "[DONE]", .key = "none", .connections = 32, .events = -1, .seconds = 1};

static Connection *connections, **idle;
static int idle_count, poll_fd, measuring;
static const char SUCCESS[] = "{\"success\":true";
static Request requests[REQUESTS];
static size_t request_count, request_next;
static uint64_t next_due, queue[QUEUE_SIZE], queue_head, queue_tail;
static uint64_t good_ever, good, bad, reconnects;
static Histogram latency, first_latency, first_added, chunk_latency;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/* ---- sending ---- */

static void watch(Connection *c, int operation, int out) {
  struct epoll_event e = {.events = EPOLLIN | (out ? EPOLLOUT : 0), .data.ptr = c};
  epoll_ctl(poll_fd, operation, c->fd, &e);
}

static void connect_again(Connection *c) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons(options.port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int on = 1;
  if (c->fd) {
    close(c->fd);
    reconnects += measuring;
  }
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(c->fd, (void *)&address, sizeof address) && errno != EINPROGRESS) fail("connect");
  c->connecting = 1;
  c->answered = 0;
  watch(c, EPOLL_CTL_ADD, 1);
}

static void send_request(Connection *c) {
  size_t left = c->request->length - c->request_sent;
  ssize_t sent = send(c->fd, c->request->bytes + c->request_sent, left, MSG_NOSIGNAL);
  if (sent > 0) c->request_sent += sent;
  if (c->request_sent < c->request->length) watch(c, EPOLL_CTL_MOD, 1);
}

static void start(Connection *c, uint64_t due_ns) {
  c->state = HEAD;
  c->due_ns = due_ns;
  c->request = &requests[request_next++ % request_count];
  c->request_sent = c->head_length = c->line_length = 0;
  c->events = c->done = c->size_digits = 0;
  c->body_bytes = 0;
  if (!c->connecting) send_request(c);
}

static void start_next(Connection *c) {
  if (options.rate <= 0) {
    start(c, now_ns());
  } else if (queue_head < queue_tail) {
    start(c, queue[queue_head++ % QUEUE_SIZE]);
  } else {
    c->state = IDLE;
    idle[idle_count++] = c;
  }
}

/* The gaps are the same in each run, because the generator is not seeded. */
static uint64_t next_gap_ns(void) {
  double mean = 1e9 / options.rate;
  return options.random_gaps ? (uint64_t)(-log(1 - drand48()) * mean) : (uint64_t)mean;
}

static void start_due(uint64_t now) {
  for (; options.rate > 0 && next_due <= now; next_due += next_gap_ns()) {
    if (idle_count) start(idle[--idle_count], next_due);
    else if (queue_tail - queue_head < QUEUE_SIZE) queue[queue_tail++ % QUEUE_SIZE] = next_due;
  }
}

/* ---- reading ---- */

static void finish(Connection *c, int complete) {
  int whole = c->is_stream ? c->done && c->events == options.events
                           : options.events < 0 && c->body_bytes > 0;
  if (options.paths_file) {
    size_t length = sizeof SUCCESS - 1;
    whole = whole && c->line_length == length && !memcmp(c->line, SUCCESS, length);
  }
  if (complete && c->status == 200 && whole) {
    good_ever++;
    if (measuring) {
      good++;
      histogram_add(&latency, now_ns() - c->due_ns);
    }
  } else {
    bad += measuring;
  }
  c->answered = complete;
  if (!complete || !c->keep) connect_again(c);
  start_next(c);
}

static void take_line(Connection *c) {
  if (c->line_length < 5 || memcmp(c->line, "data:", 5)) return;
  if (memmem(c->line, c->line_length, options.closing, strlen(options.closing))) {
    c->done = 1;
    return;
  }
  int is_first = ++c->events == 1;
  if (!measuring) return;
  uint64_t now = now_ns(), age_ns = 0;
  char *time = memmem(c->line, c->line_length, "\"t0", 3);
  if (time) {
    histogram_add(&chunk_latency, now - strtoull(time + 2, &time, 10));
    age_ns = strtoull(time + 1, NULL, 10);
  }
  if (!is_first) return;
  histogram_add(&first_latency, now - c->due_ns);
  histogram_add(&first_added, now - c->due_ns - age_ns);
}

static void take_payload(Connection *c, const char *bytes, size_t n) {
  c->body_bytes += n;
  for (size_t i = 0; !c->is_stream && i < n && c->line_length < sizeof SUCCESS - 1; i++) {
    c->line[c->line_length++] = bytes[i];
  }
  while (c->is_stream && n) {
    const char *end = memchr(bytes, '\n', n);
    size_t part = end ? (size_t)(end - bytes) : n, room = LINE_MAX_BYTES - 1 - c->line_length;
    size_t kept = part < room ? part : room;
    memcpy(c->line + c->line_length, bytes, kept);
    c->line_length += kept;
    if (!end) return;
    c->line[c->line_length] = 0;
    take_line(c);
    c->line_length = 0;
    bytes += part + 1;
    n -= part + 1;
  }
}

/* Returns the bytes consumed; 0 if the head is too long or has no framing. */
static size_t take_head(Connection *c, const char *bytes, size_t n) {
  size_t before = c->head_length, room = HEAD_MAX - 1 - before, kept = n < room ? n : room;
  memcpy(c->head + before, bytes, kept);
  c->head_length += kept;
  c->head[c->head_length] = 0;
  char *end = strstr(c->head + (before > 3 ? before - 3 : 0), "\r\n\r\n");
  if (!end) return kept == room ? 0 : n;
  end[2] = 0;
  const char *length = strcasestr(c->head, "\r\ncontent-length:");
  c->status = atoi(c->head + 9);
  c->is_stream = strcasestr(c->head, "text/event-stream") != NULL;
  c->keep = strcasestr(c->head, "\r\nconnection: close") == NULL;
  c->left = length ? strtoull(length + 17, NULL, 10) : 0;
  if (strcasestr(c->head, "\r\ntransfer-encoding: chunked")) c->state = CHUNK_SIZE;
  else if (c->left) c->state = SIZED;
  else return 0;
  return end + 4 - c->head - before;
}

static size_t take_sized(Connection *c, const char *bytes, size_t n) {
  size_t part = n < c->left ? n : c->left;
  take_payload(c, bytes, part);
  c->left -= part;
  return part;
}

static void take_chunk_size(Connection *c, char byte) {
  if (byte != '\n') {
    if (c->size_digits < (int)sizeof c->size_text - 1) c->size_text[c->size_digits++] = byte;
    return;
  }
  c->size_text[c->size_digits] = 0;
  c->size_digits = 0;
  c->left = strtoull(c->size_text, NULL, 16);
  c->state = c->left ? CHUNK : TRAILER;
}

/* Requests are not pipelined, so a complete answer ends with these bytes. */
static void take(Connection *c, const char *bytes, size_t n) {
  while (n) {
    size_t used = 1;
    int ended = 0;
    if (c->state == IDLE) {
      bad += measuring;
      connect_again(c);
      return;
    } else if (c->state == HEAD) {
      used = take_head(c, bytes, n);
    } else if (c->state == SIZED) {
      used = take_sized(c, bytes, n);
      ended = !c->left;
    } else if (c->state == CHUNK_SIZE) {
      take_chunk_size(c, *bytes);
    } else if (c->state == CHUNK) {
      used = take_sized(c, bytes, n);
      if (!c->left) c->state = CHUNK_END;
    } else if (*bytes == '\n') {
      ended = c->state == TRAILER;
      c->state = CHUNK_SIZE;
    }
    if (!used || ended) {
      finish(c, ended);
      return;
    }
    bytes += used;
    n -= used;
  }
}

static void lost(Connection *c) {
  if (c->state == IDLE) {
    connect_again(c);
  } else if (c->state == HEAD && !c->head_length && c->answered) {
    /*
     * The gateway closed an idle connection while the request was in flight: allowed, so the
     * request is sent again.
     */
    uint64_t due_ns = c->due_ns;
    connect_again(c);
    start(c, due_ns);
  } else {
    finish(c, 0);
  }
}

static void serve(Connection *c, uint32_t events) {
  static char bytes[262144];
  if (events & EPOLLOUT) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) {
      errno = error;
      fail("loadgen: connect");
    }
    c->connecting = 0;
    watch(c, EPOLL_CTL_MOD, 0);
    if (c->state != IDLE && c->request_sent < c->request->length) send_request(c);
  }
  if (events & ~EPOLLOUT) {
    ssize_t got = recv(c->fd, bytes, sizeof bytes, 0);
    if (got > 0) take(c, bytes, got);
    else if (got == 0 || errno != EAGAIN) lost(c);
  }
}

/* ---- the run ---- */

static size_t read_file(const char *name, char *bytes, size_t size) {
  FILE *f = fopen(name, "r");
  if (!f) fail(name);
  size_t length = fread(bytes, 1, size, f);
  fclose(f);
  return length;
}

static void add_request(const char *line, const char *key, const char *body, size_t length) {
  Request *r = &requests[request_count++];
  r->bytes = malloc(length + 4096);
  r->length = snprintf(r->bytes, 4096,
      "%.2048s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
      "User-Agent: OpenAI/Python 1.99.0\r\nAccept: application/json\r\n"
      "Content-Type: application/json\r\nAuthorization: Bearer %.512s\r\n",
      line, options.port, key);
  if (body) {
    r->length += sprintf(r->bytes + r->length, "Content-Length: %zu\r\n", length);
  }
  r->length += sprintf(r->bytes + r->length, "\r\n");
  memcpy(r->bytes + r->length, body ? body : "", length);
  r->length += length;
}

static void build_requests(void) {
  static char bytes[1 << 20];
  const char *name = options.paths_file ? options.paths_file : options.body_file;
  size_t length = read_file(name, bytes, sizeof bytes - 1);
  char post[512];
  snprintf(post, sizeof post, "POST %.500s", options.path);
  if (options.keys_file) {
    static char keys[1 << 20];
    read_file(options.keys_file, keys, sizeof keys - 1);
    for (char *key = strtok(keys, "\n"); key && request_count < REQUESTS; key = strtok(NULL, "\n")) {
      add_request(post, key, bytes, length);
    }
    return;
  }
  if (!options.paths_file) {
    add_request(post, options.key, bytes, length);
    return;
  }
  for (char *path = strtok(bytes, "\n"); path && request_count < REQUESTS; path = strtok(NULL, "\n")) {
    char line[2048];
    snprintf(line, sizeof line, "GET %.2000s", path);
    add_request(line, options.key, NULL, 0);
  }
  if (!request_count) fail("loadgen: no paths");
}

static double own_cpu_seconds(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static void report(double seconds, double own_cpu, Bill before, Bill after) {
  double cpu = after.cpu_seconds - before.cpu_seconds;
  printf("{\"good_ever\":%lu,\"good\":%lu,\"bad\":%lu,\"reconnects\":%lu,\"per_second\":%.1f,"
         "\"p50_us\":%.0f,\"p99_us\":%.0f,\"first_p50_us\":%.0f,\"first_added_p50_us\":%.0f,\"chunk_p50_us\":%.0f,\"chunk_p99_us\":%.0f,"
         "\"cpu_us\":%.2f,\"cpu_percent\":%.1f,\"own_cpu_percent\":%.1f,\"rss_mb\":%.1f,\"anonymous_mb\":%.1f}\n",
      good_ever, good, bad, reconnects, good / seconds, histogram_at(&latency, .5),
      histogram_at(&latency, .99), histogram_at(&first_latency, .5), histogram_at(&first_added, .5),
      histogram_at(&chunk_latency, .5), histogram_at(&chunk_latency, .99), good ? cpu * 1e6 / good : 0, cpu * 100 / seconds,
      own_cpu * 100 / seconds, after.rss_mb, after.anonymous_mb);
}

static int read_options(int count, char **arguments) {
  for (int o; (o = getopt(count, arguments, "p:b:u:l:t:c:d:n:w:r:e:k:K:P:g")) != -1;) {
    if (o == 'p') options.port = atoi(optarg);
    else if (o == 'b') options.body_file = optarg;
    else if (o == 'u') options.paths_file = optarg;
    else if (o == 'l') options.path = optarg;
    else if (o == 't') options.closing = optarg;
    else if (o == 'c') options.connections = atoi(optarg);
    else if (o == 'd') options.seconds = atof(optarg);
    else if (o == 'n') options.requests = strtoul(optarg, NULL, 10);
    else if (o == 'w') options.warm_up = atof(optarg);
    else if (o == 'r') options.rate = atof(optarg);
    else if (o == 'e') options.events = atoi(optarg);
    else if (o == 'k') options.key = optarg;
    else if (o == 'K') options.keys_file = optarg;
    else if (o == 'g') options.random_gaps = 1;
    else if (o == 'P') options.pid = atoi(optarg);
    else return -1;
  }
  return options.port > 0 && (options.body_file || options.paths_file) && options.connections > 0 ? 0 : -1;
}

int main(int count, char **arguments) {
  if (read_options(count, arguments)) {
    fprintf(stderr, "loadgen: see the head of loadgen.c for its arguments\n");
    return 2;
  }
  build_requests();
  poll_fd = epoll_create1(0);
  connections = calloc(options.connections, sizeof *connections);
  idle = calloc(options.connections, sizeof *idle);
  uint64_t measure_at = (next_due = now_ns()) + (uint64_t)(options.warm_up * 1e9);
  uint64_t end_at = measure_at + (uint64_t)(options.seconds * 1e9), began = 0, now;
  for (int i = 0; i < options.connections; i++) {
    connect_again(&connections[i]);
    start_next(&connections[i]);
  }
  Bill before = {0, 0};
  double own_before = 0;
  struct epoll_event events[EVENTS];
  while ((now = now_ns()) < end_at && (!options.requests || good + bad < options.requests)) {
    if (!measuring && now >= measure_at) {
      before = bill_of(options.pid);
      own_before = own_cpu_seconds();
      began = now_ns();
      measuring = 1;
    }
    start_due(now);
    uint64_t wake = measuring ? end_at : measure_at;
    if (options.rate > 0 && next_due < wake) wake = next_due;
    uint64_t left = wake > now ? wake - now : 0;
    struct timespec pause = {left / 1000000000, left % 1000000000};
    int n = epoll_pwait2(poll_fd, events, EVENTS, &pause, NULL);
    for (int i = 0; i < n; i++) serve(events[i].data.ptr, events[i].events);
  }
  double seconds = (now_ns() - began) / 1e9;
  report(seconds, own_cpu_seconds() - own_before, before, bill_of(options.pid));
  return 0;
}

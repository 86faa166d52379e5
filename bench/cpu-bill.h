/* CPU time and memory of a process and all its descendants so far, from /proc. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES_MAX = 8192 };

typedef struct {
  double cpu_seconds, rss_mb, anonymous_mb;
} Bill;

/* Reads at most size − 1 bytes; returns 0 if the file cannot be read. */
static size_t read_text(const char *path, char *text, size_t size) {
  FILE *f = fopen(path, "r");
  if (!f) return 0;
  size_t n = fread(text, 1, size - 1, f);
  fclose(f);
  text[n] = 0;
  return n;
}

static int parent_of(int pid) {
  char path[64], text[1024];
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const char *after_name = read_text(path, text, sizeof text) ? strrchr(text, ')') : NULL;
  if (after_name) sscanf(after_name + 2, "%*c %d", &parent);
  return parent;
}

/* CPU time of all threads. schedstat counts nanoseconds, stat only hundredths of a second. */
static double cpu_seconds_of(int pid) {
  char path[128], text[128];
  double seconds = 0;
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *threads = opendir(path);
  if (!threads) return 0;
  for (struct dirent *e; (e = readdir(threads));) {
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, atoi(e->d_name));
    if (atoi(e->d_name) > 0 && read_text(path, text, sizeof text)) seconds += atof(text) / 1e9;
  }
  closedir(threads);
  return seconds;
}

/* A line of /proc/PID/status in kB, like "\nVmRSS:". */
static double status_mb_of(int pid, const char *name) {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  const char *line = read_text(path, text, sizeof text) ? strstr(text, name) : NULL;
  return line ? atof(line + strlen(name)) / 1024 : 0;
}

static Bill bill_of(int root) {
  static int pids[PROCESSES_MAX], parents[PROCESSES_MAX], counted[PROCESSES_MAX];
  int n = 0, found = root > 0;
  Bill bill = {0, 0, 0};
  DIR *all = opendir("/proc");
  for (struct dirent *e; found && (e = readdir(all)) && n < PROCESSES_MAX;) {
    int pid = atoi(e->d_name);
    if (pid > 0) pids[n] = pid, parents[n] = parent_of(pid), counted[n++] = pid == root;
  }
  closedir(all);
  while (found) {
    found = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n && !counted[i]; j++) {
        if (counted[j] && pids[j] == parents[i]) counted[i] = found = 1;
      }
    }
  }
  for (int i = 0; i < n; i++) {
    if (!counted[i]) continue;
    bill.cpu_seconds += cpu_seconds_of(pids[i]);
    bill.rss_mb += status_mb_of(pids[i], "\nVmRSS:");
    bill.anonymous_mb += status_mb_of(pids[i], "\nRssAnon:");
  }
  return bill;
}

/* Durations in microseconds: exact below 128, then 64 steps for each power of two (1.6 % wide). */
#include <math.h>
#include <stdint.h>

enum { STEPS = 64, POWERS = 40 };

typedef struct {
  uint64_t count[STEPS * POWERS], total;
} Histogram;

static void histogram_add(Histogram *h, uint64_t ns) {
  uint64_t value = ns / 1000;
  int power = 0;
  while (value >= 2 * STEPS) value >>= 1, power++;
  int index = power * STEPS + (int)value;
  h->count[index < STEPS * POWERS ? index : STEPS * POWERS - 1]++;
  h->total++;
}

static double histogram_at(const Histogram *h, double share) {
  uint64_t wanted = (uint64_t)ceil(share * h->total), seen = 0;
  for (int i = 0; i < STEPS * POWERS; i++) {
    seen += h->count[i];
    if (h->count[i] == 0 || seen < wanted) continue;
    if (i < 2 * STEPS) return i;
    int power = i / STEPS - 1;
    return (STEPS + i % STEPS + 0.5) * (double)(1ull << power);
  }
  return 0;
}

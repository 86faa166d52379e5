import { type BilledUse, SECONDS_PER_HOUR } from './bill.ts'

type Count = 'requests' | 'input' | 'cached' | 'written' | 'output' | 'amount'

/** Sums lines of single requests by hour, model and key: a log may have millions of them. */
export function createHourSums() {
  const sums = new Map<string, BilledUse>()
  return {
    add: (lines: readonly BilledUse[]) => {
      for (const line of lines) {
        const from = Math.floor(line.from / SECONDS_PER_HOUR) * SECONDS_PER_HOUR
        const place = JSON.stringify([from, line.model, line.key, line.item])
        const hour = { id: '', from, to: from + SECONDS_PER_HOUR }
        const before = sums.get(place)
        sums.set(place, before === undefined ? { ...line, ...hour } : plus(before, line))
      }
    },
    list: (): BilledUse[] => [...sums.values()],
  }
}

function plus(sum: BilledUse, line: BilledUse): BilledUse {
  const total = (name: Count) => {
    const value = line[name]
    return value === null ? sum[name] : (sum[name] ?? 0) + value
  }
  return {
    ...sum,
    requests: total('requests'),
    input: total('input'),
    cached: total('cached'),
    written: total('written'),
    output: total('output'),
    amount: total('amount'),
  }
}

// From measurements to Markdown.

/** `of` takes one round of a row and the same round's figures without a gateway. */
const MEASURES = [
  { title: 'CPU µs per request', of: (row) => row.json.cpu_us },
  { title: 'requests/s on one core', of: (row) => row.json.per_second },
  { title: 'added p50 µs', of: (row, direct) => row.rate.p50_us - direct.p50_us },
  { title: 'added p99 µs', of: (row, direct) => row.rate.p99_us - direct.p99_us },
  { title: 'CPU µs per stream of 50', of: (row) => row.stream50.cpu_us },
  { title: 'CPU µs per stream of 500', of: (row) => row.stream500.cpu_us },
  { title: 'chunk p99 µs', of: (row) => row.stream50.chunk_p99_us },
  { title: 'memory MB', of: (row) => Math.max(...Object.values(row).map((x) => x.rss_mb)) },
]

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

function round(value) {
  return Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(0)
}

function cell(values) {
  if (!values.every(Number.isFinite)) return '–'
  const text = round(median(values))
  if (values.length === 1) return text
  return `${text} (${round(Math.min(...values))}–${round(Math.max(...values))})`
}

function table(names, cellOf) {
  const lines = [
    ['', ...MEASURES.map((measure) => measure.title)],
    ['---', ...MEASURES.map(() => '---:')],
    ...names.map((name) => [name, ...MEASURES.map((measure) => cellOf(name, measure))]),
  ]
  return lines.map((line) => `| ${line.join(' | ')} |\n`).join('')
}

/**
 * Ratios to the first row, then the figures themselves. `rounds` holds, per round, the figures
 * without a gateway and those of each row; a ratio compares two rows of the same round.
 */
export function formatTables(rounds) {
  const names = Object.keys(rounds[0].rows)
  const values = (name, { of }) => rounds.map(({ rows, direct }) => of(rows[name], direct))
  const ratios = (name, measure) => {
    const floor = values(names[0], measure)
    // A latency within the clock's noise has no ratio.
    return values(name, measure).map((value, i) =>
      floor[i] > 0 && value > 0 ? value / floor[i] : Number.NaN,
    )
  }
  return (
    `Ratios to ${names[0]} in the same run:\n\n${table(names, (n, m) => cell(ratios(n, m)))}\n` +
    `Absolute figures:\n\n${table(names, (n, m) => cell(values(n, m)))}`
  )
}

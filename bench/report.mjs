// Formats measurements as Markdown.

const highest = (row, name) => Math.max(...Object.values(row).map((figures) => figures[name]))

/**
 * `of` takes one round of a row and the same round's figures without a gateway. `most` limits the
 * last row, which has everything on, as a multiple of the first row; `mostItself` limits the
 * figure.
 */
const MEASURES = [
  { title: 'JSON 2 kB, CPU µs', of: (row) => row.json.cpu_us, most: 6 },
  { title: 'the first 1 000 of them', of: (row) => row.cold.cpu_us },
  { title: 'one per second', of: (row) => row.single.cpu_us },
  { title: 'of 200 tokens', of: (row) => row.tenants.cpu_us, most: 6 },
  { title: 'JSON 200 kB, CPU µs', of: (row) => row.large.cpu_us, most: 9 },
  { title: 'requests/s on one core', of: (row) => row.json.per_second },
  { title: 'stream of 50 at saturation, CPU µs', of: (row) => row.saturated.cpu_us, most: 1.6 },
  { title: 'stream of 50 at 100/s, CPU µs', of: (row) => row.stream50.cpu_us, most: 3 },
  {
    title: 'stream of 50 at 100/s at random moments, CPU µs',
    of: (row) => row.streamRandom.cpu_us,
  },
  { title: 'stream of 500, CPU µs', of: (row) => row.stream500.cpu_us },
  { title: '1 000 slow streams, CPU µs each', of: (row) => row.slow.cpu_us },
  { title: 'added p50 µs at 500/s', of: (row, direct) => row.rate.p50_us - direct.rate.p50_us },
  {
    title: 'added p99 µs at 500/s',
    of: (row, direct) => row.rate.p99_us - direct.rate.p99_us,
    mostItself: 3000,
  },
  {
    title: 'added to the first token, p50 µs',
    of: (row, direct) =>
      row.streamRandom.first_added_p50_us - direct.streamRandom.first_added_p50_us,
    mostItself: 500,
  },
  { title: 'chunk p99 µs', of: (row) => row.streamRandom.chunk_p99_us },
  { title: 'memory MB', of: (row) => highest(row, 'rss_mb') },
  { title: 'anonymous memory MB', of: (row) => highest(row, 'anonymous_mb') },
]

/**
 * The missed limits of the last row, which has everything on: medians over the rounds, as in the
 * tables.
 */
export function findMissedMarks(rounds) {
  const names = Object.keys(rounds[0].rows)
  const name = names.at(-1)
  return MEASURES.flatMap((measure) => {
    const { title, most, mostItself } = measure
    const judge = (what, limit, words) => {
      if (!Number.isFinite(what) || what <= 0) return [`${name}: ${title}: no figure`]
      return what > limit ? [`${name}: ${title}: ${round(what)}, at most ${words}`] : []
    }
    if (most !== undefined) {
      const ratios = ratiosOf(rounds, name, measure)
      const middle = ratios.every(Number.isFinite) ? median(ratios) : Number.NaN
      return judge(middle, most, `${most} × ${names[0]}`)
    }
    if (mostItself === undefined) return []
    return judge(median(figuresOf(rounds, name, measure)), mostItself, mostItself)
  })
}

const figuresOf = (rounds, name, { of }) => rounds.map(({ rows, direct }) => of(rows[name], direct))

/** Ratios to the first row of the same round; NaN for a latency within the clock's noise. */
function ratiosOf(rounds, name, measure) {
  const floor = figuresOf(rounds, Object.keys(rounds[0].rows)[0], measure)
  return figuresOf(rounds, name, measure).map((value, i) =>
    floor[i] > 0 && value > 0 ? value / floor[i] : Number.NaN,
  )
}

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
  const ratios = table(names, (name, measure) => cell(ratiosOf(rounds, name, measure)))
  const figures = table(names, (name, measure) => cell(figuresOf(rounds, name, measure)))
  return `Ratios to ${names[0]} in the same round:\n\n${ratios}\nAbsolute figures:\n\n${figures}`
}

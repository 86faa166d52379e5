// Measures pages of a log of ten million rows: see LAB.md.
import { openFilledServer } from './admin.mjs'
import { stop } from './processes.mjs'
import { median } from './report.mjs'

const QUICK = { users: 5_000, tokens: 5_000, logs: 500_000 }
const FULL = { users: 100_000, tokens: 100_000, logs: 10_000_000 }
const CALLS = 30
const PAGE_MS_MAX = 20
const DEEPEST = 9_999
const CALL_TIMEOUT_MS = 60_000

const print = (text) => process.stdout.write(`${text}\n`)

/**
 * The requests of the log page. Each call of a row uses new users, channels, models, ids and time
 * ranges, because the server caches counts for a moment. Sums have no mark.
 */
function pagesOf({ logs }, now) {
  const models = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4', 'gemini-2.5-flash', 'deepseek-chat']
  const model = (n) => `model_name=${models[n % models.length]}`
  const day = (n) => {
    const start = now - (5 + 2 * n) * 86_400
    return `start_timestamp=${start}&end_timestamp=${start + 86_400 + n}`
  }
  const month = (n) => `start_timestamp=${now - 30 * 86_400 + n}&end_timestamp=${now - n}`
  const before = (n) => `before=${Math.floor(logs / 3) + 1000 * n}`
  const lists = [
    ['all', () => ''],
    ['all, last page by number', () => `p=${DEEPEST}`],
    ['all, at a third of the log', before],
    ['requests', () => 'type=2'],
    ['changes by administrators', () => 'type=3'],
    ['… at a third of the log', (n) => `type=3&${before(n)}`],
    ['a model', model],
    ['… last page by number', (n) => `${model(n)}&p=${DEEPEST}`],
    ['… at a third of the log', (n) => `${model(n)}&${before(n)}`],
    ['a day', day],
    ['a month', month],
    ['… last page by number', (n) => `${month(n)}&p=${DEEPEST}`],
    ['a model in a month', (n) => `${model(n)}&${month(n)}`],
    ['a model and a type on a day', (n) => `${model(n)}&type=2&${day(n)}`],
  ]
  const ofAll = [
    ['a user', (n) => `username=user${7 * n + 2}`],
    ['a user with a fiftieth of the log', () => 'username=user1'],
    ['… last page by number', () => `username=user1&p=${DEEPEST}`],
    ['a user, a model, a month', (n) => `username=user${7 * n + 2}&${model(n)}&${month(n)}`],
    ['a channel', (n) => `channel=${n + 1}`],
    ['… at a third of the log', (n) => `channel=${n + 1}&${before(n)}`],
    ['a channel and a model', (n) => `channel=${n + 1}&${model(n)}`],
    ['a token', (n) => `token_name=token${7 * n + 2}`],
    ['nobody', (n) => `username=nobody${n}`],
  ]
  const costs = ['group', 'model', 'channel', 'user', 'group,channel,model,user'].map((by) => [
    `costs of a month by ${by}`,
    (n) => `by=${by}&${month(3600 * n)}`,
  ])
  const ownToken = ['a token', () => 'token_name=token1']
  return [
    ...[...lists, ...ofAll].map(([what, query]) => ({ what, path: '/api/log/', query })),
    ...[...lists, ownToken].map(([what, query]) => ({
      what: `own: ${String(what)}`,
      path: '/api/log/self',
      query,
    })),
    ...costs.map(([what, query]) => ({ what, path: '/api/stat/costs', query, isSum: true })),
  ]
}

async function measurePage(
  { address, accessToken, cpuSeconds },
  { what, path, query, isSum = false },
) {
  const times = []
  const before = cpuSeconds()
  for (let n = 0; n < CALLS; n += 1) {
    const began = performance.now()
    const response = await fetch(`${address}${path}?size=10&${query(n)}`, {
      headers: { authorization: accessToken },
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    })
    const answer = await response.json()
    times.push(performance.now() - began)
    if (!answer.success) throw new Error(`${what}: ${answer.message}`)
  }
  return {
    what,
    isSum,
    cpu: ((cpuSeconds() - before) * 1000) / CALLS,
    middle: median(times),
    first: times[0],
    longest: Math.max(...times.slice(1)),
  }
}

/** Prints the duration of each kind of page and returns the slow ones. */
export async function measureLog(bench, { isQuick }) {
  const scale = isQuick ? QUICK : FULL
  const world = await openFilledServer(bench, scale)
  const rows = await measurePages(world, pagesOf(scale, Math.floor(Date.now() / 1000)))
  await stop(world.gateway)
  await stop(world.mock)
  return rows
    .filter(({ middle, isSum }) => middle > PAGE_MS_MAX && !isSum)
    .map(({ what, middle }) => `${what}: ${middle.toFixed(1)} ms`)
}

/** Prints a row per kind of page. */
export async function measurePages(world, pages) {
  const rows = []
  print(
    '\n| Page | CPU ms | median ms | first ms | longest of the others ms |\n| --- | ---: | ---: | ---: | ---: |',
  )
  for (const page of pages) {
    const row = await measurePage(world, page)
    const figures = [row.cpu, row.middle, row.first, row.longest].map((time) => time.toFixed(1))
    print(`| ${row.what} | ${figures.join(' | ')} |`)
    rows.push(row)
  }
  return rows
}

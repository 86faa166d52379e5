// Measures filters, facets, sorts and the live tail of a log of a million rows: see LAB.md.
import { openFilledServer } from './admin.mjs'
import { startPostgres } from './databases.mjs'
import { measurePages } from './log.mjs'
import { stop } from './processes.mjs'

const QUICK = { users: 5_000, tokens: 5_000, logs: 50_000 }
const FULL = { users: 10_000, tokens: 20_000, logs: 1_000_000 }
const CALL_MS_MAX = 100

/** Each call of a row differs, because the server keeps counts and facets for a moment. */
const FILTERS = [
  ['failed', (n) => `outcome=failed&max_duration=${86_000_000 - n}`],
  ['an error kind', (n) => `error=no_channel&max_duration=${86_000_000 - n}`],
  ['cut off', (n) => `outcome=cut_off&max_duration=${86_000_000 - n}`],
  ['an endpoint', (n) => `endpoint=embeddings&max_duration=${86_000_000 - n}`],
  ['a rare endpoint', (n) => `endpoint=images&max_duration=${86_000_000 - n}`],
  ['an endpoint that no row has', (n) => `endpoint=absent${n}`],
  ['a rare group', (n) => `group=vip&max_duration=${86_000_000 - n}`],
  ['a group that no row has', (n) => `group=absent${n}`],
  ['a group of a fiftieth', (n) => `group=team&max_duration=${86_000_000 - n}`],
  ['a rare model', (n) => `model_name=o3-pro&max_duration=${86_000_000 - n}`],
  ['a rare model and a cost', (n) => `model_name=o3-pro&min_quota=${4_000 + n}`],
  ['a channel and a rare model', (n) => `channel=${n + 1}&model_name=o3-pro`],
  ['streams', (n) => `stream=true&max_duration=${86_000_000 - n}`],
  ['a cost that few rows have', (n) => `min_quota=${4_990 + (n % 5)}&max_quota=${5_000 + n}`],
  ['a cost that no row has', (n) => `min_quota=${6_000 + n}`],
  ['a duration', (n) => `min_duration=${19_900 + n}`],
  ['a part of a model', (n) => `model_part=mini*&max_quota=${9_000 + n}`],
  ['a part of a token', (n) => `token_part=en12${n}`],
  ['a part of no token', (n) => `token_part=nothing${n}`],
  ['a part of a user', (n) => `user_part=er12${n}`],
  ['a user by id', (n) => `user_id=${7 * n + 2}`],
  ['a user with a fiftieth of the log', (n) => `user_id=1&max_quota=${9_000 + n}`],
  ['a channel, failed', (n) => `channel=${n + 1}&outcome=failed`],
  ['a model, failed', (n) => `model_name=gpt-4o&outcome=failed&max_duration=${86_000_000 - n}`],
  ['a month, failed', (n) => `outcome=failed&start_timestamp=${month() + n}`],
  ['a request id', (n) => `request_id=bench-${1000 * n + 4}`],
]

const SORTS = [
  ['by cost', (n) => `sort=quota&p=${n}`],
  ['by duration', (n) => `sort=elapsed_time&p=${n}`],
  ['failed, by duration', (n) => `outcome=failed&sort=elapsed_time&p=${n}`],
]

const month = () => Math.floor(Date.now() / 1000) - 30 * 86_400

const PAGES = [
  ...[...FILTERS, ...SORTS].map(([what, query]) => ({ what, path: '/api/log/', query })),
  { what: 'rows after the last', path: '/api/log/', query: (n) => `after=${999_000 + n}&type=2` },
  ...[['everything', (n) => `max_duration=${86_000_000 - n}`], ...FILTERS].map(([what, query]) => ({
    what: `facets: ${String(what)}`,
    path: '/api/log/facets',
    query,
  })),
  { what: 'own facets', path: '/api/log/self/facets', query: (n) => `max_quota=${9_000 + n}` },
  { what: 'sum of a cost', path: '/api/log/stat', query: (n) => `min_quota=${1_000 + n}` },
]

/** Each viewer of the live tail asks every five seconds (`use-tail.ts`). */
const VIEWERS = 10
const TAIL_SECONDS = 5
const TAIL_CALLS = 1000
const TAIL_SHARE_MAX = 0.01
/** The part of a core that the calls of ten viewers cost, by the CPU time of the server. */
async function measureTail({ address, accessToken, cpuSeconds }, { logs }) {
  const call = async (n) => {
    const response = await fetch(`${address}/api/log/?type=2&size=100&after=${logs - (n % 5)}`, {
      headers: { authorization: accessToken },
    })
    const { success, message } = await response.json()
    if (!success) throw new Error(`live tail: ${message}`)
  }
  for (let n = 0; n < TAIL_CALLS / 5; n += 1) await call(n)
  const before = cpuSeconds()
  for (let n = 0; n < TAIL_CALLS; n += 1) await call(n)
  const seconds = (cpuSeconds() - before) / TAIL_CALLS
  const share = (seconds * VIEWERS) / TAIL_SECONDS
  const figures = [`${(seconds * 1e6).toFixed(0)} µs of CPU per call`, percent(share)]
  process.stdout.write(`\nLive tail of ${VIEWERS} viewers: ${figures.join(', ')} of a core\n`)
  return share
}

const percent = (share) => `${(share * 100).toFixed(2)} %`

/**
 * Prints the duration of each kind of call on both databases and returns the slow ones. With parts
 * of names as arguments, only these calls are measured.
 */
export async function measureLogFilters(bench, { isQuick, args: parts }) {
  const scale = { ...(isQuick ? QUICK : FULL), isLogOnly: true, parts }
  const onSqlite = await measureOn(bench, scale)
  const postgres = await startPostgres(bench)
  const onPostgres = await measureOn(bench, scale, postgres)
  await stop(postgres.server)
  return [...onSqlite, ...onPostgres]
}

async function measureOn(bench, scale, postgres) {
  const database = postgres ? 'PostgreSQL' : 'SQLite'
  process.stdout.write(`\n${database}: `)
  const world = await openFilledServer(bench, scale, postgres)
  const isWanted = ({ what }) => scale.parts.some((part) => what.includes(part))
  const rows = await measurePages(world, scale.parts.length > 0 ? PAGES.filter(isWanted) : PAGES)
  const tail = await measureTail(world, scale)
  await stop(world.gateway)
  await stop(world.mock)
  const slow = rows.filter(({ middle }) => middle > CALL_MS_MAX)
  return [
    ...slow.map(({ what, middle }) => `${database}, ${what}: ${middle.toFixed(1)} ms`),
    ...(tail > TAIL_SHARE_MAX ? [`${database}, live tail: ${percent(tail)} of a core`] : []),
  ]
}

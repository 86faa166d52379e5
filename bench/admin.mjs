// Measures the control plane on a full database, alone and while the relay is loaded: see
// README.md.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPaths } from './admin-paths.mjs'
import { fillPostgres } from './fill-postgres.mjs'
import { cpuOf, cpuOfFamily, measureUndisturbed } from './machine.mjs'
import { freePort, run, start, stop, untilAnswering } from './processes.mjs'
import { addChannel, addTenant, addToken, signIn, startServerAt } from './rows.mjs'

// Under relay load, 100 calls fall due per second. A p99 needs about a thousand calls.
const QUICK = { users: 5_000, tokens: 5_000, logs: 50_000, seconds: 1, besideSeconds: 2 }
const FULL = { users: 100_000, tokens: 100_000, logs: 1_000_000, seconds: 2, besideSeconds: 10 }

// Sums over a month take a second under relay load if they have not been requested for a while.
const WARM_UP_SECONDS = 2
// V8 marks the old space every one to two minutes, and a shared machine can be slow for seconds. A
// row that misses its limit is therefore measured again for six times as long.
const AGAIN_FACTOR = 6
// A p99 that is compared with another p99 needs several measurements.
const RELAY_TRIES = 3
const CONNECTIONS = 16
const RELAY_CONNECTIONS = 32
const CALLS_PER_SECOND = 100
const FILL_TIMEOUT_MS = 40 * 60_000
const RATE_MIN = 1_000
const P99_MS_MAX = 50
const RELAY_P99_FACTOR_MAX = 2

const print = (text) => process.stdout.write(`${text}\n`)
const milliseconds = (microseconds) => (microseconds / 1000).toFixed(2)

/** Sends GETs of these paths in turn, at a fixed rate or as fast as they are answered. */
async function offerCalls(world, paths, { rate, seconds }) {
  const file = join(mkdtempSync(join(world.folder, 'paths-')), 'paths')
  writeFileSync(file, paths.join('\n'))
  return loadgen(world, ['-u', file, '-k', world.accessToken, '-c', CONNECTIONS], { rate, seconds })
}

const offerRelay = (world, { rate, seconds }) =>
  loadgen(
    world,
    ['-b', join(world.folder, 'json.json'), '-k', world.key, '-c', RELAY_CONNECTIONS],
    { rate, seconds },
  )

async function loadgen({ bin, cpus, port, gateway }, given, { rate, seconds }) {
  const command = [join(bin, 'loadgen'), '-p', port, '-P', gateway.child.pid, ...given]
  command.push('-w', WARM_UP_SECONDS, '-d', seconds, ...(rate ? ['-r', rate] : []))
  return JSON.parse(await run(command.map(String), { cpu: cpus?.load, timeoutMs: 120_000 }))
}

/**
 * Sets a server up through its API, stops it, fills the database, and starts it again. With a
 * PostgreSQL server, only users and log are filled.
 */
export async function openFilledServer(bench, scale, postgres) {
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const dataFolder = mkdtempSync(join(bench.folder, 'admin-data-'))
  const cpu = bench.cpus?.gateway
  const server = { ...bench, dataFolder, port: await freePort(), cpu, databaseUrl: postgres?.url }
  const address = `http://127.0.0.1:${server.port}`
  const first = startServerAt(server)
  const call = await signIn(first, address)
  await serveModels(call, mockPort)
  const [key] = await addTenant(call, address, { name: 'customer', tokens: 1 })
  const accessToken = await call('GET', '/api/user/token')
  await call('PUT', '/api/option/', { key: 'GlobalApiRateLimit', value: '0' })
  await stop(first)
  const began = Date.now()
  await (postgres ? fillPostgres(bench, scale, postgres) : fillSqlite(bench, scale, dataFolder))
  print(
    `${scale.users} users, ${scale.tokens} tokens, ${scale.logs} log rows in ${((Date.now() - began) / 1000).toFixed(0)} s`,
  )
  const gateway = startServerAt(server)
  await untilAnswering(gateway, `${address}/api/status`)
  const cpuSeconds = () =>
    cpuOf(gateway.child.pid) + (postgres ? cpuOfFamily(postgres.server.child.pid) : 0)
  return { ...server, mock, gateway, address, accessToken, key, cpuSeconds }
}

async function fillSqlite({ node, here }, { users, tokens, logs, isLogOnly }, dataFolder) {
  const sizes = [users, tokens, logs].map(String)
  const file = join(dataFolder, 'tollgate.db')
  await run(
    [node, join(here, 'fill-database.mjs'), file, ...sizes, ...(isLogOnly ? ['log'] : [])],
    {
      timeoutMs: FILL_TIMEOUT_MS,
    },
  )
}

async function serveModels(call, mockPort) {
  await addChannel(call, mockPort)
  await call('POST', '/api/redemption/', { name: 'bench', quota: 500_000, count: 1 })
  await addToken(call)
}

const isSlow = ({ per_second }) => per_second < RATE_MIN
/** True also if nothing was answered. */
const isLate = ({ good, p99_us }) => good === 0 || p99_us > P99_MS_MAX * 1000

async function measureAlone(world, paths, seconds) {
  const rows = []
  for (const path of paths) {
    const measureFor = (time) =>
      measureUndisturbed(world.cpus, () => offerCalls(world, [path], { seconds: time }), isSlow)
    const alone = await measureFor(seconds)
    rows.push({ path, alone: isSlow(alone) ? await measureFor(seconds * AGAIN_FACTOR) : alone })
    print(`${rows.at(-1).alone.per_second.toFixed(0)} requests/s ${path}`)
  }
  return rows
}

/**
 * The relay's capacity follows the machine's speed, which on shared cores doubles from minute to
 * minute.
 */
async function halfOfRelay(world, seconds) {
  const capacity = await offerRelay(world, { seconds })
  return { capacity, relayRate: Math.max(1, Math.floor(capacity.per_second / 2)) }
}

/** Measures each endpoint at 100 calls per second while the relay runs at half of its capacity. */
async function measureBeside(world, rows, { seconds: least, besideSeconds }) {
  for (const row of rows) {
    const measureFor = (seconds) => async () => {
      const { relayRate } = await halfOfRelay(world, least)
      const [beside] = await Promise.all([
        offerCalls(world, [row.path], { rate: CALLS_PER_SECOND, seconds }),
        offerRelay(world, { rate: relayRate, seconds }),
      ])
      return beside
    }
    row.beside = await measureUndisturbed(world.cpus, measureFor(besideSeconds), isLate)
    if (isLate(row.beside)) {
      const longer = measureFor(besideSeconds * AGAIN_FACTOR)
      row.beside = await measureUndisturbed(world.cpus, longer, isLate)
    }
    print(`p99 ${milliseconds(row.beside.p99_us)} ms during relay load ${row.path}`)
  }
}

async function measureRelay(world, paths, { besideSeconds }) {
  // Warms up both loads: compiling code that runs for the first time would count as waiting.
  await offerRelay(world, { seconds: besideSeconds })
  await offerCalls(world, paths, { seconds: besideSeconds })
  // Long enough that a garbage collection, which comes every 90 s, falls into both measurements.
  const seconds = besideSeconds * AGAIN_FACTOR
  const measure = async () => {
    const { capacity, relayRate } = await halfOfRelay(world, besideSeconds)
    const load = { rate: relayRate, seconds }
    const alone = await offerRelay(world, load)
    const [meanwhile, calls] = await Promise.all([
      offerRelay(world, load),
      offerCalls(world, paths, { rate: CALLS_PER_SECOND, seconds }),
    ])
    return { capacity, relayRate, alone, meanwhile, calls }
  }
  const tries = []
  for (let left = RELAY_TRIES; left > 0; left -= 1) {
    // A disturbance of the relay alone would make the limit easier, so no disturbed measurement
    // counts.
    tries.push(await measureUndisturbed(world.cpus, measure, () => true))
  }
  return tries.toSorted((a, b) => lateness(a) - lateness(b))[Math.floor(RELAY_TRIES / 2)]
}

/** The relay's p99 under calls, as a multiple of its p99 alone. */
const lateness = ({ alone, meanwhile }) => meanwhile.p99_us / alone.p99_us

function formatRows(rows) {
  const titles = ['GET', 'CPU µs per request', 'requests/s on one core', 'p50 ms', 'p99 ms']
  titles.push('p99 ms at 100/s during relay load', 'stolen %')
  const head = `| ${titles.join(' | ')} |\n| --- |${' ---: |'.repeat(titles.length - 1)}\n`
  const sorted = rows.toSorted((a, b) => a.alone.per_second - b.alone.per_second)
  return (
    head +
    sorted
      .map(
        ({ path, alone, beside }) =>
          `| \`${path}\` | ${alone.cpu_us.toFixed(0)} | ${alone.per_second.toFixed(0)} | ${milliseconds(alone.p50_us)} | ${milliseconds(alone.p99_us)} | ${milliseconds(beside.p99_us)} | ${beside.stolen_percent.toFixed(1)} |\n`,
      )
      .join('')
  )
}

function formatRelay({ capacity, relayRate, alone, meanwhile, calls, stolen_percent }) {
  return [
    `The relay answers ${capacity.per_second.toFixed(0)} requests/s on the core; at ${relayRate}/s:`,
    `p50 ${milliseconds(alone.p50_us)} ms and p99 ${milliseconds(alone.p99_us)} ms alone,`,
    `p50 ${milliseconds(meanwhile.p50_us)} ms and p99 ${milliseconds(meanwhile.p99_us)} ms during ${CALLS_PER_SECOND} calls/s of all the rows in turn;`,
    `those calls had p50 ${milliseconds(calls.p50_us)} ms and p99 ${milliseconds(calls.p99_us)} ms;`,
    `${stolen_percent.toFixed(1)} % of a CPU was stolen meanwhile.`,
  ].join('\n')
}

function findRowFaults(rows) {
  const faults = []
  for (const { path, alone: figures, beside } of rows) {
    const bad = figures.bad + beside.bad
    if (figures.good === 0 || bad > 0) faults.push(`${path}: ${bad} calls were refused`)
    if (isSlow(figures)) faults.push(`${path}: fewer than ${RATE_MIN} requests/s`)
    if (isLate(beside)) faults.push(`${path}: p99 above ${P99_MS_MAX} ms`)
  }
  return faults
}

function findRelayFaults(relay) {
  const { alone, meanwhile, calls } = relay
  const faults = []
  if (alone.bad + meanwhile.bad + calls.bad > 0) faults.push('bad answers under both loads')
  if (isLate(calls)) faults.push(`calls: p99 above ${P99_MS_MAX} ms`)
  if (lateness(relay) > RELAY_P99_FACTOR_MAX) {
    faults.push(`the relay's p99 more than ${RELAY_P99_FACTOR_MAX} times what it is alone`)
  }
  return faults
}

/**
 * Prints the tables and returns the missed limits. With parts of paths as arguments, only these
 * endpoints are measured, and the relay's own latency is not.
 */
export async function measureAdmin(bench, { isQuick, args: parts }) {
  const scale = isQuick ? QUICK : FULL
  const world = await openFilledServer(bench, scale)
  const all = await findPaths(world.address)
  const isPart = parts.length > 0
  const paths = isPart ? all.filter((path) => parts.some((part) => path.includes(part))) : all
  if (paths.length === 0) throw new Error(`no endpoint has ${parts.join(' or ')} in its path`)
  const rows = await measureAlone(world, paths, scale.seconds)
  const relay = isPart ? null : await measureRelay(world, paths, scale)
  await measureBeside(world, rows, scale)
  print(`\n${formatRows(rows)}\n${relay ? formatRelay(relay) : ''}`)
  await stop(world.gateway)
  await stop(world.mock)
  return [...findRowFaults(rows), ...(relay ? findRelayFaults(relay) : [])]
}

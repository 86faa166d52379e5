// Measures the gateway against nginx: see README.md.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureAdmin } from './admin.mjs'
import { measureAgainst } from './against.mjs'
import { measureAllocations } from './allocations.mjs'
import { measureConsole } from './console.mjs'
import { measureDatabases } from './databases.mjs'
import { measureDialects } from './dialects.mjs'
import { measureHostile } from './hostile.mjs'
import { measureImportLive } from './import-live.mjs'
import { measureImport } from './import.mjs'
import { measureLogFilters } from './log-filters.mjs'
import { measureLog } from './log.mjs'
import { measureMemory } from './memory.mjs'
import { measureObservers } from './observers.mjs'
import { buildBinaries, buildServer, findNode, findPrograms, writeBodies } from './prepare.mjs'
import {
  findCpus,
  freePort,
  keepAwake,
  killAll,
  run,
  start,
  stop,
  untilAnswering,
} from './processes.mjs'
import { measureRates } from './rates.mjs'
import { findMissedMarks, formatTables, median } from './report.mjs'
import { measureRequests } from './requests.mjs'
import { ROWS, untilChatting } from './rows.mjs'
import { soak } from './soak.mjs'
import { measureWorkers } from './workers.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const QUICK = { rounds: 1, scale: 1, warmUpScale: 1, isQuick: true, deadlineMs: 300_000 }
const FULL = { rounds: 3, scale: 2, warmUpScale: 5, isQuick: false, deadlineMs: 75 * 60_000 }

// `seconds` are for --quick; a full run multiplies them by `scale`.
const SCENARIOS = {
  single: { body: 'json', connections: 1, rate: 1, warmUp: 2, seconds: 10 },
  json: { body: 'json', connections: 32, warmUp: 0.3, seconds: 2 },
  tenants: { body: 'json', connections: 32, warmUp: 0.5, seconds: 2, keys: true },
  large: { body: 'json-200k', connections: 8, warmUp: 0.3, seconds: 2 },
  rate: { body: 'json', connections: 64, rate: 500, warmUp: 0.3, seconds: 2 },
  saturated: { body: 'stream-50-fast', connections: 128, warmUp: 0.5, seconds: 2, events: 52 },
  stream50: { body: 'stream-50', connections: 256, rate: 100, events: 52, warmUp: 0.7, seconds: 4 },
  streamRandom: {
    body: 'stream-50',
    connections: 256,
    rate: 100,
    hasRandomGaps: true,
    events: 52,
    warmUp: 0.7,
    seconds: 4,
  },
  stream500: {
    body: 'stream-500',
    connections: 64,
    rate: 10,
    events: 502,
    warmUp: 1.3,
    seconds: 2,
  },
  slow: { body: 'stream-slow', connections: 1000, events: 52, warmUp: 3, seconds: 3 },
}
/** Measured before the warm-up. */
const COLD = { body: 'json', connections: 32, requests: 1000, warmUp: 0, seconds: 10 }
// On one core, V8 takes ten seconds to compile the hot code, because its compiler waits for the
// measured code. Another kind of load discards some of that, until V8 has seen each kind twice.
const WARM_UP_JSON = { body: 'json', connections: 32, warmUp: 0, seconds: 2 }
const WARM_UP_STREAM = { body: 'stream-50', connections: 32, events: 52, warmUp: 0, seconds: 1 }
const WARM_UP_TENANTS = { ...WARM_UP_JSON, keys: true }
const WARM_UP_QUICK = [WARM_UP_JSON, WARM_UP_STREAM]
const WARM_UP = [...WARM_UP_QUICK, WARM_UP_TENANTS, WARM_UP_STREAM, WARM_UP_JSON]
// A stream ten times as long may cost ten times as much, plus a margin for noise.
const LENGTH_FACTOR_MAX = 15
const USED_ONCE_SHARE_MAX = 0.1
// Relative to the connections of the load, which may all need a new upstream connection.
const NEW_CONNECTIONS_FACTOR_MAX = 1.1
const GROWTH_REQUESTS = 100_000
const GROWTH_FACTOR_MAX = 1.15
const GROWTH_SPANS = 3
const BUSY_PERCENT = 90

/** Measurements that replace the comparison of gateways, by command-line name. */
const OTHERS = {
  admin: measureAdmin,
  against: measureAgainst,
  allocations: measureAllocations,
  console: measureConsole,
  dialects: measureDialects,
  databases: measureDatabases,
  hostile: measureHostile,
  live: measureImportLive,
  import: measureImport,
  log: measureLog,
  filters: measureLogFilters,
  memory: measureMemory,
  observers: measureObservers,
  rates: measureRates,
  requests: measureRequests,
  workers: measureWorkers,
}

const SOAK_DEADLINE_MS = 20 * 60_000

const print = (text) => process.stdout.write(`${text}\n`)

async function offerLoad(bench, scenario, target) {
  const { body, connections, rate, requests, hasRandomGaps, events } = scenario
  const command = [join(bench.bin, 'loadgen'), '-p', target.port, '-c', connections]
  command.push('-b', join(bench.folder, `${body}.json`))
  command.push('-w', scenario.warmUp * bench.scale, '-d', scenario.seconds * bench.scale)
  if (rate) command.push('-r', rate)
  if (requests) command.push('-n', requests)
  if (hasRandomGaps) command.push('-g')
  if (events) command.push('-e', events)
  if (scenario.keys && target.keysFile) command.push('-K', target.keysFile)
  else if (target.key) command.push('-k', target.key)
  if (target.pid) command.push('-P', target.pid)
  const output = await run(command.map(String), { cpu: bench.cpus?.load })
  return JSON.parse(output)
}

async function readCounters(port) {
  const response = await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(5_000) })
  return response.json()
}

async function startMock(bench) {
  const port = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(port)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${port}`)
  return { mock, port }
}

async function measureDirect(bench) {
  const { mock, port } = await startMock(bench)
  const rate = await offerLoad(bench, SCENARIOS.rate, { port })
  const streamRandom = await offerLoad(bench, SCENARIOS.streamRandom, { port })
  await stop(mock)
  return { rate, streamRandom }
}

/** The figures of one row, and messages about what was wrong. */
async function measureRow(bench, row) {
  const folder = mkdtempSync(join(bench.folder, 'row-'))
  const { mock, port: mockPort } = await startMock(bench)
  const port = await freePort()
  const setup = { ...bench, folder, port, mockPort, cpu: bench.cpus?.gateway }
  const { gateway, key, keysFile, checkBooks } = await row.start(setup)
  const target = { port, key, keysFile, pid: gateway.child.pid }
  await untilChatting(gateway, { port, key })
  const figures = { cold: await offerLoad(bench, COLD, target) }
  const faults = []
  let answers = figures.cold.good_ever
  const warmUp = { ...bench, scale: bench.warmUpScale }
  for (const scenario of bench.isQuick ? WARM_UP_QUICK : WARM_UP)
    answers += (await offerLoad(warmUp, scenario, target)).good_ever
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const before = await readCounters(mockPort)
    figures[name] = await offerLoad(bench, scenario, target)
    const after = await readCounters(mockPort)
    answers += figures[name].good_ever
    faults.push(...findFaults({ name, ...scenario }, figures[name], before, after))
  }
  if (row.needsServer && !bench.isQuick) {
    const growth = await measureGrowth(bench, target, answers)
    answers = growth.answers
    faults.push(...growth.faults)
  }
  const books = await checkBooks?.(answers)
  const { requests, connections, used_once } = await readCounters(mockPort)
  const upstream = `upstream ${requests} requests on ${connections} connections`
  const booked = books ? `; ${books.booked} requests booked` : ''
  print(`${row.name}: ${answers} whole answers; ${upstream}, ${used_once} used once${booked}`)
  if (books && (books.booked < answers || books.charged <= 0)) faults.push('answers not charged')
  await stop(gateway)
  await stop(mock)
  return { figures, faults: faults.map((fault) => `${row.name}: ${fault}`) }
}

/**
 * Memory after enough requests to tell a leak, which keeps growing, from a heap that has reached
 * its final size.
 */
async function measureGrowth(bench, target, before) {
  let answers = before
  const offerJson = async () => {
    const { good_ever, rss_mb } = await offerLoad(bench, SCENARIOS.json, target)
    if (good_ever === 0) throw new Error('no answers while memory was measured')
    answers += good_ever
    return rss_mb
  }
  let isGrowing = true
  for (let span = 0; isGrowing && span < GROWTH_SPANS; span += 1) {
    const first = await offerJson()
    const begun = answers
    let last = first
    while (answers < begun + GROWTH_REQUESTS) last = await offerJson()
    const more = answers - begun
    print(`memory ${first.toFixed(0)} MB, and ${last.toFixed(0)} MB after ${more} more requests`)
    isGrowing = last > first * GROWTH_FACTOR_MAX
  }
  return { answers, faults: isGrowing ? ['memory grows with the requests'] : [] }
}

function findFaults({ name, connections }, { good, bad }, before, after) {
  const faults = []
  if (good === 0 || bad > 0) faults.push(`${name}: ${bad} bad answers, ${good} good ones`)
  const requests = after.requests - before.requests
  const usedOnce = after.used_once - before.used_once
  if (usedOnce > requests * USED_ONCE_SHARE_MAX) {
    faults.push(`${name}: ${usedOnce} upstream connections used once for ${requests} requests`)
  }
  const opened = after.connections - before.connections
  if (opened > connections * NEW_CONNECTIONS_FACTOR_MAX) {
    faults.push(`${name}: ${opened} new upstream connections for ${connections} of clients`)
  }
  return faults
}

function findLengthFaults(rounds) {
  return Object.keys(rounds[0].rows).flatMap((name) => {
    const factor = median(
      rounds.map(({ rows }) => rows[name].stream500.cpu_us / rows[name].stream50.cpu_us),
    )
    print(`${name}: a stream of 500 costs ${factor.toFixed(1)} × a stream of 50`)
    return factor <= LENGTH_FACTOR_MAX ? [] : [`${name}: cost grows faster than a stream's length`]
  })
}

/** If the gateway's core was not busy, the load generator or the disk was the bottleneck. */
function printHeldBack(rounds) {
  for (const name of Object.keys(rounds[0].rows)) {
    const percent = median(rounds.map(({ rows }) => rows[name].json.cpu_percent))
    if (percent >= BUSY_PERCENT) continue
    print(
      `${name}: its core was only ${percent.toFixed(0)} % busy; the load side or the disk was the limit`,
    )
  }
}

async function measure(bench, rows) {
  const rounds = []
  const faults = []
  for (let i = 0; i < bench.rounds; i += 1) {
    // Each round goes through all rows, so that a noisy minute of the machine affects all of them.
    const round = { direct: await measureDirect(bench), rows: {} }
    for (const row of rows) {
      const result = await measureRow(bench, row)
      round.rows[row.name] = result.figures
      faults.push(...result.faults)
    }
    rounds.push(round)
  }
  faults.push(...findLengthFaults(rounds))
  if (rows.at(-1).needsServer) faults.push(...findMissedMarks(rounds))
  printHeldBack(rounds)
  return { rounds, faults }
}

async function measureGateways(bench, rows) {
  const { rounds, faults } = await measure(bench, rows)
  print(`\n${formatTables(rounds)}`)
  return faults
}

function chooseRows(only) {
  const named = only?.split(';').map((name) => name.trim())
  const rows = ROWS.filter(({ name }) => !named || named.includes(name))
  if (rows[0] !== ROWS[0] || (named && rows.length < named.length)) {
    throw new Error(`--only takes nginx and any of the other rows' names, with ; between them`)
  }
  return rows
}

async function main() {
  const { values, positionals } = parseArgs({
    options: {
      quick: { type: 'boolean' },
      soak: { type: 'boolean' },
      only: { type: 'string' },
      'no-awake': { type: 'boolean' },
    },
    allowPositionals: true,
  })
  const other = OTHERS[positionals[0]]
  if (positionals.length > 0 && !other) throw new Error(`there is no run ${positionals[0]}`)
  if (process.platform !== 'linux') throw new Error('the bench reads /proc and needs Linux')
  const rows = chooseRows(values.only)
  const programs = { node: findNode(root), ...(await findPrograms()) }
  const mode = values.quick && !other ? QUICK : FULL
  const deadlineMs = values.soak ? SOAK_DEADLINE_MS : mode.deadlineMs
  setTimeout(() => {
    print(`not done within ${deadlineMs / 1000} s: given up`)
    process.exit(1)
  }, deadlineMs).unref()
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  process.on('exit', () => {
    killAll()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const bench = {
    ...mode,
    ...programs,
    root,
    here,
    folder,
    bin: join(here, 'bin'),
    cpus: findCpus(),
  }
  mkdirSync(bench.bin, { recursive: true })
  if (other || rows.some(({ needsServer }) => needsServer))
    await buildServer({ node: programs.node, root })
  await buildBinaries({ ...programs, sources: here, folder: bench.bin })
  writeBodies(folder)
  if (bench.cpus && !values['no-awake']) keepAwake(bench.bin, bench.cpus)
  print(
    bench.cpus
      ? `gateway on CPU ${bench.cpus.gateway}, mock and load on CPU ${bench.cpus.load}`
      : 'one CPU only: nothing is pinned, gateway and load share it',
  )
  if (values.soak) return soak(bench, { startMock, offerLoad, scenarios: SCENARIOS })
  const faults = other
    ? await other(bench, { isQuick: values.quick === true, args: positionals.slice(1) })
    : await measureGateways(bench, rows)
  for (const fault of faults) print(`FAULT ${fault}`)
  if (faults.length === 0) print('Every check passed.')
  return faults.length === 0 ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
try {
  process.exit(await main())
} catch (error) {
  print(`bench: ${error.message}`)
  process.exit(1)
}

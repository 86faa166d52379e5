// Measures the memory of a server, idle and under load: see README.md.
import { chmodSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SERVER_FLAGS, serverFlags } from '../tools/launcher/node-flags.mjs'
import { offerLoad, openGateway } from './in-turn.mjs'
import { freePort, start, stop, untilAnswering } from './processes.mjs'

const IDLE_MB_MAX = { rss: 130, anonymous: 70 }
const LOADED_MB_MAX = 256
const SMALL_MACHINE_MB = 400
const RATE = 1000
const RATE_SHARE_MIN = 0.95
const SAMPLE_MS = 100
const SETTLED_MS = 15_000
const CONTROL_GROUPS = '/sys/fs/cgroup/memory'

const JSON_LOAD = { name: 'JSON 2 kB', body: 'json', connections: 32 }
/** Loads of the main run that differ in what they keep. */
const LOADS = [
  JSON_LOAD,
  { name: 'JSON 200 kB', body: 'json-200k', connections: 8 },
  { name: 'streams at saturation', body: 'stream-50-fast', connections: 128, events: 52 },
  { name: '1 000 slow streams', body: 'stream-slow', connections: 1000, events: 52 },
  { ...JSON_LOAD, name: 'JSON 2 kB again' },
]
const SMALL_LOADS = [
  { body: 'json', connections: 64, rate: RATE },
  { body: 'stream-slow', connections: 300, events: 52 },
]

const print = (text) => process.stdout.write(`${text}\n`)

const printRow = (name, { rss, anonymous }) =>
  print(`| ${name} | ${rss.toFixed(0)} | ${anonymous.toFixed(0)} |`)

function memoryOf(pid) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)[1]) / 1024
  return { rss: megabytes('VmRSS'), anonymous: megabytes('RssAnon') }
}

/** The highest figures while `work` runs. */
async function watch(pid, work) {
  const peak = memoryOf(pid)
  const timer = setInterval(() => {
    const now = memoryOf(pid)
    for (const name of ['rss', 'anonymous']) peak[name] = Math.max(peak[name], now[name])
  }, SAMPLE_MS)
  try {
    return { peak, answers: await work() }
  } finally {
    clearInterval(timer)
  }
}

/** `measure` gets a server with these settings, and returns messages about what is wrong. */
async function withServer(bench, settings, measure) {
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const world = await openGateway(bench, { ...settings, mockPort, cpu: bench.cpus?.gateway })
  await sleep(SETTLED_MS)
  const faults = await measure(world, world.gateway.child.pid)
  const { exitCode, signalCode } = world.gateway.child
  if (exitCode !== null || signalCode !== null) faults.push('the server was killed')
  await stop(world.gateway)
  await stop(mock)
  return faults.map((fault) => `${settings.name}: ${fault}`)
}

const above = ({ rss }) => (rss > LOADED_MB_MAX ? [`${rss.toFixed(0)} MB under load`] : [])

/** With the flags that this machine gives to `npm start`. */
const measureThisMachine = (bench, { isQuick }) =>
  withServer(bench, { name: 'this-machine', flags: SERVER_FLAGS }, async (world, pid) => {
    const idle = memoryOf(pid)
    printRow('none', idle)
    const faults = Object.entries(IDLE_MB_MAX)
      .filter(([name, most]) => idle[name] > most)
      .map(([name, most]) => `idle: ${name} of ${idle[name].toFixed(0)} MB, at most ${most}`)
    let highest = idle
    for (const load of LOADS) {
      const time = { warmUp: 0, seconds: isQuick ? 6 : 15 }
      const { peak, answers } = await watch(pid, () => offerLoad(bench, world, load, time))
      printRow(`${load.name}, ${answers.cpu_us.toFixed(0)} µs`, peak)
      if (answers.bad > 0 || answers.good === 0) faults.push(`${load.name}: bad answers`)
      if (peak.rss > highest.rss) highest = peak
    }
    return [...faults, ...above(highest)]
  })

/**
 * A control group with this much memory, and a program that starts Node.js in it. Null where none
 * can be made: it takes version 1 of control groups, and the right to make one.
 */
function makeControlGroup({ folder, node }, megabytes) {
  const group = join(CONTROL_GROUPS, `tollgate-bench-${process.pid}`)
  try {
    mkdirSync(group)
    writeFileSync(join(group, 'memory.limit_in_bytes'), String(megabytes * 1024 ** 2))
  } catch {
    return null
  }
  const program = join(folder, 'node-in-group')
  writeFileSync(program, `#!/bin/sh\necho $$ > ${group}/cgroup.procs\nexec "${node}" "$@"\n`)
  chmodSync(program, 0o700)
  return { node: program, remove: () => rmdirSync(group) }
}

async function measureSmallMachine(bench, { isQuick }) {
  const group = makeControlGroup(bench, SMALL_MACHINE_MB)
  if (group === null) print('no control group could be made: only V8 knows the limit')
  // V8 gives its old space half of the memory of a small container.
  const oldSpace = group === null ? [`--max-old-space-size=${SMALL_MACHINE_MB / 2}`] : []
  const flags = [...serverFlags(SMALL_MACHINE_MB), ...oldSpace]
  const node = group?.node ?? bench.node
  const measure = async (world, pid) => {
    printRow(`none, of ${SMALL_MACHINE_MB} MB`, memoryOf(pid))
    const time = { warmUp: 1, seconds: isQuick ? 12 : 50 }
    const { peak, answers } = await watch(pid, () =>
      Promise.all(SMALL_LOADS.map((load) => offerLoad(bench, world, load, time))),
    )
    const [json, streams] = answers
    const load = `${SMALL_LOADS[1].connections} slow streams and ${json.per_second.toFixed(0)} JSON/s`
    printRow(`${load}, of ${SMALL_MACHINE_MB} MB`, peak)
    const faults = above(peak)
    if (json.per_second < RATE * RATE_SHARE_MIN) faults.push(`only ${json.per_second} requests/s`)
    if (json.bad + streams.bad > 0 || streams.good === 0) faults.push('bad answers')
    return faults
  }
  const faults = await withServer(bench, { name: 'small-machine', flags, node }, measure)
  group?.remove()
  return faults
}

export async function measureMemory(bench, options) {
  print('\n| Load | resident MB | of it anonymous |\n| --- | ---: | ---: |')
  const faults = await measureThisMachine(bench, options)
  return [...faults, ...(await measureSmallMachine(bench, options))]
}

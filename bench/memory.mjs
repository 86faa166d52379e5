// Measures the memory of a server on a machine with 400 MB: see README.md.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serverFlags } from '../tools/launcher/node-flags.mjs'
import { offerLoad, openGateway } from './in-turn.mjs'
import { freePort, start, stop, untilAnswering } from './processes.mjs'

const MACHINE_MB = 400
/** V8 gives its old space half of the memory of a small container. */
const OLD_SPACE_MB = MACHINE_MB / 2
const RSS_MB_MAX = 256
const RATE = 1000
const RATE_SHARE_MIN = 0.95
const SAMPLE_MS = 100
const SETTLED_MS = 10_000

const JSON_LOAD = { body: 'json', connections: 64, rate: RATE }
const STREAMS = { body: 'stream-slow', connections: 300, events: 52 }

const print = (text) => process.stdout.write(`${text}\n`)

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

export async function measureMemory(bench, { isQuick }) {
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const flags = [...serverFlags(MACHINE_MB), `--max-old-space-size=${OLD_SPACE_MB}`]
  const world = await openGateway(bench, {
    name: 'memory',
    mockPort,
    flags,
    cpu: bench.cpus?.gateway,
  })
  const { pid } = world.gateway.child
  await sleep(SETTLED_MS)
  const idle = memoryOf(pid)
  const time = { warmUp: 1, seconds: isQuick ? 12 : 50 }
  const { peak, answers } = await watch(pid, () =>
    Promise.all([JSON_LOAD, STREAMS].map((load) => offerLoad(bench, world, load, time))),
  )
  await stop(world.gateway)
  await stop(mock)
  const [json, streams] = answers
  print('\n| Load | resident MB | of it anonymous |\n| --- | ---: | ---: |')
  print(`| none | ${idle.rss.toFixed(0)} | ${idle.anonymous.toFixed(0)} |`)
  const load = `${STREAMS.connections} slow streams and ${json.per_second.toFixed(0)} JSON/s`
  print(`| ${load} | ${peak.rss.toFixed(0)} | ${peak.anonymous.toFixed(0)} |`)
  const faults = []
  if (peak.rss > RSS_MB_MAX) faults.push(`${peak.rss.toFixed(0)} MB, at most ${RSS_MB_MAX}`)
  if (json.per_second < RATE * RATE_SHARE_MIN) faults.push(`only ${json.per_second} requests/s`)
  if (json.bad + streams.bad > 0 || streams.good === 0) faults.push('bad answers')
  return faults
}

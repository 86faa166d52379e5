// Measures how many JSON requests per second fit under a latency: see README.md.
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, run, start, stop, untilAnswering } from './processes.mjs'
import { ROWS, untilChatting } from './rows.mjs'

const RATES = [125, 250, 500, 1000, 2000, 4000, 8000]
const LIMITS_MS = [1, 5, 10]
const CONNECTIONS = 256
const WARM_UP_SECONDS = 10
const NAMES = new Set(['nginx', 'gateway, everything on'])
/** A gateway that answers fewer than offered has a queue, whose latency only grows. */
const ANSWERED_SHARE_MIN = 0.95
const US = 1000

const print = (text) => process.stdout.write(`${text}\n`)

async function offer(bench, { port, key }, { rate, connections = CONNECTIONS, warmUp, seconds }) {
  const command = [join(bench.bin, 'loadgen'), '-p', port, '-c', connections]
  command.push('-b', join(bench.folder, 'json.json'), '-w', warmUp, '-d', seconds)
  if (rate) command.push('-r', rate, '-g')
  if (key) command.push('-k', key)
  return JSON.parse(await run(command.map(String), { cpu: bench.cpus?.load, timeoutMs: 60_000 }))
}

/** The p99 in ms by rate, up to the first rate that was not kept up with. */
async function latenciesOf(bench, target, seconds) {
  const latencies = new Map()
  for (const rate of RATES) {
    const figures = await offer(bench, target, { rate, warmUp: 1, seconds })
    if (figures.bad > 0 || figures.per_second < rate * ANSWERED_SHARE_MIN) break
    latencies.set(rate, figures.p99_us / US)
  }
  return latencies
}

async function measureRow(bench, row, { mockPort, seconds }) {
  const folder = mkdtempSync(join(bench.folder, 'row-'))
  const port = await freePort()
  const setup = { ...bench, folder, port, mockPort, cpu: bench.cpus?.gateway }
  const { gateway, key } = await row.start(setup)
  try {
    await untilChatting(gateway, { port, key })
    const warmUp = { connections: 32, warmUp: 0, seconds: WARM_UP_SECONDS }
    await offer(bench, { port, key }, warmUp)
    return await latenciesOf(bench, { port, key }, seconds)
  } finally {
    await stop(gateway)
  }
}

const formatMs = (ms) => (ms === undefined ? '–' : ms.toFixed(2))

export async function measureRates(bench, { isQuick }) {
  const seconds = isQuick ? 3 : 15
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const direct = await latenciesOf(bench, { port: mockPort }, seconds)
  const added = new Map()
  for (const row of ROWS.filter(({ name }) => NAMES.has(name))) {
    const own = await measureRow(bench, row, { mockPort, seconds })
    const known = [...own].filter(([rate]) => direct.has(rate))
    added.set(row.name, new Map(known.map(([rate, ms]) => [rate, ms - direct.get(rate)])))
  }
  await stop(mock)
  const names = [...added.keys()]
  const line = (cells) => print(`| ${cells.join(' | ')} |`)
  print('')
  line(['requests/s', 'no gateway, p99 ms', ...names.map((name) => `added by ${name}`)])
  line(['---:', '---:', ...names.map(() => '---:')])
  for (const rate of RATES) {
    const cells = names.map((name) => formatMs(added.get(name).get(rate)))
    line([rate, formatMs(direct.get(rate)), ...cells])
  }
  for (const limit of LIMITS_MS) {
    for (const name of names) {
      const firstAbove = RATES.find((rate) => !(added.get(name).get(rate) <= limit))
      const kept = RATES.filter((rate) => firstAbove === undefined || rate < firstAbove).at(-1)
      print(`${name}: ${kept ?? 'no'} requests/s add at most ${limit} ms at p99`)
    }
  }
  return added.get('gateway, everything on').size > 0 ? [] : ['no rate was kept up with']
}

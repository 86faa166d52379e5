// Measures what honest customers notice during an attack: see LAB.md.
import { mkdtempSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, start, stop, untilAnswering } from './processes.mjs'
import { addChannel, addTenant, addToken, signIn, signInAs, startServerAt } from './rows.mjs'

const SECONDS = 12
/** Ten honest requests per second, each sent when it falls due. */
const PAUSE_MS = 100
/** Limit of the slowest honest request, above the slowest one without an attack. */
const DELAY_MS_MAX = 100
/** Unmasking and copying 120 MB/s of a paying customer is work that cannot be sliced. */
const REALTIME_DELAY_MS_MAX = 200
const REALTIME_MODEL = 'gpt-realtime'

const ATTACKS = [
  { name: 'nothing', attack: null },
  { name: 'parse bombs, quota 0', attack: 'bombs', key: 'poor' },
  { name: 'parse bombs, with quota', attack: 'bombs', key: 'rich' },
  { name: 'stalled uploads', attack: 'uploads', key: 'rich' },
  { name: 'slow heads', attack: 'heads' },
  { name: 'unknown keys', attack: 'keys' },
  { name: 'token counts, quota 0', attack: 'counts', key: 'poor' },
  {
    name: 'Realtime events of 5 MB',
    attack: 'realtime',
    key: 'rich',
    delayMs: REALTIME_DELAY_MS_MAX,
  },
]

const print = (text) => process.stdout.write(`${text}\n`)

async function openWorld(bench) {
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const dataFolder = mkdtempSync(join(bench.folder, 'hostile-'))
  const [port, realtimePort] = [await freePort(), await freePort()]
  const gateway = startServerAt({ ...bench, dataFolder, port, cpu: bench.cpus?.gateway })
  const address = `http://127.0.0.1:${port}`
  const call = await signIn(gateway, address)
  await addChannel(call, mockPort)
  await call('POST', '/api/channel/', {
    type: 1,
    name: 'realtime',
    key: 'sk-upstream-0123456789',
    base_url: `http://127.0.0.1:${realtimePort}`,
    models: REALTIME_MODEL,
    group: 'default',
  })
  const [honest] = await addTenant(call, address, { name: 'honest', tokens: 1 })
  const [rich] = await addTenant(call, address, { name: 'rich', tokens: 1 })
  const account = { username: 'poor', password: 'bench-password', display_name: 'poor' }
  await call('POST', '/api/user/', account)
  const poor = await addToken(await signInAs(address, account))
  return { ...bench, mock, gateway, port, realtimePort, keys: { honest, rich, poor } }
}

/** Duration of an honest request in ms; Infinity unless the answer has status 200. */
function askHonestly({ port, keys }, agent) {
  const dueAt = performance.now()
  const body = JSON.stringify({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'Summarise the report. '.repeat(90) }],
    max_tokens: 64,
  })
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    authorization: `Bearer ${keys.honest}`,
  }
  return new Promise((resolve) => {
    const options = { port, path: '/v1/chat/completions', method: 'POST', headers, agent }
    const asked = request(options, (response) => {
      response.resume()
      response.on('end', () => {
        resolve(response.statusCode === 200 ? performance.now() - dueAt : Infinity)
      })
      response.on('error', () => resolve(Infinity))
    })
    asked.setTimeout(10_000, () => asked.destroy())
    asked.on('error', () => resolve(Infinity))
    asked.end(body)
  })
}

async function measureHonest(world, seconds) {
  const agent = new Agent({ keepAlive: true })
  const asked = []
  const startedAt = performance.now()
  for (let at = 0; at < (seconds * 1000) / PAUSE_MS; at += 1) {
    const waitMs = startedAt + at * PAUSE_MS - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    asked.push(askHonestly(world, agent))
  }
  const times = (await Promise.all(asked)).sort((one, other) => one - other)
  agent.destroy()
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]
  return { p50: at(0.5), p99: at(0.99), slowest: times.at(-1) }
}

/** The attackers run in their own process, so that they do not delay the measurement. */
async function measureUnder(world, { attack, key }, seconds) {
  if (attack === null) return measureHonest(world, seconds)
  const { node, here, cpus, port, realtimePort, keys } = world
  const script = join(here, 'attackers.mjs')
  const attackers = start(
    [node, script, attack, String(port), String(realtimePort), keys[key] ?? ''],
    { cpu: cpus?.load },
  )
  await sleep(1000)
  if (attackers.child.exitCode !== null) throw new Error(`${attack}: ${attackers.stderr}`)
  const figures = await measureHonest(world, seconds)
  await stop(attackers)
  // Lets queues drain, so that the next attack is not charged for them.
  await sleep(1000)
  return figures
}

const shown = (ms) => (Number.isFinite(ms) ? ms.toFixed(1) : 'not answered')

/** Prints the table and returns the missed limits. */
export async function measureHostile(bench, { isQuick }) {
  const seconds = isQuick ? SECONDS / 3 : SECONDS
  const world = await openWorld(bench)
  await measureHonest(world, 2)
  print('\n| Attack | honest p50 ms | p99 ms | slowest ms | limit ms |')
  print('| --- | ---: | ---: | ---: | ---: |')
  const faults = []
  let quietMs = Infinity
  for (const row of ATTACKS) {
    const { p50, p99, slowest } = await measureUnder(world, row, seconds)
    const isQuiet = row.attack === null
    if (isQuiet) quietMs = slowest
    const limit = quietMs + (row.delayMs ?? DELAY_MS_MAX)
    const told = isQuiet ? '' : shown(limit)
    print(`| ${row.name} | ${shown(p50)} | ${shown(p99)} | ${shown(slowest)} | ${told} |`)
    if (slowest > limit) faults.push(`${row.name}: ${shown(slowest)} ms, at most ${shown(limit)}`)
  }
  const { exitCode } = world.gateway.child
  if (exitCode !== null) faults.push(`the server ended with ${exitCode}`)
  await stop(world.gateway)
  await stop(world.mock)
  return faults
}

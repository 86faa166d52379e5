// Starts several built servers at once and measures JSON requests of 2 kB on each in turn.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, run, start, stop, untilAnswering } from './processes.mjs'
import { median } from './report.mjs'
import { addChannel, addToken, signIn, startServerAt } from './rows.mjs'

/** Per worker process. */
const CONNECTIONS = 32
const WARM_UP_SECONDS = 10

/**
 * For each `{ name, cpu, databaseUrl, workers }`: the medians over the rounds of the CPU of all its
 * processes in µs per request and of requests/s, and messages about bad answers.
 */
export async function measureInTurn(bench, gateways, { isQuick }) {
  const rounds = isQuick ? 2 : 6
  const time = { warmUp: 1, seconds: isQuick ? 2 : 4 }
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const opened = []
  for (const gateway of gateways) opened.push(await openGateway(bench, { ...gateway, mockPort }))
  const figures = opened.map(() => [])
  for (const gateway of opened) {
    await offerJson(bench, gateway, { warmUp: 0, seconds: WARM_UP_SECONDS * gateway.workers })
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, gateway] of opened.entries()) {
      figures[index].push(await offerJson(bench, gateway, time))
    }
  }
  for (const { gateway } of opened) await stop(gateway)
  await stop(mock)
  const medianOf = (rows, field) => median(rows.map((row) => row[field]))
  const medians = figures.map((rows) => ({
    cpu_us: medianOf(rows, 'cpu_us'),
    per_second: medianOf(rows, 'per_second'),
  }))
  const isBad = figures.flat().some(({ good, bad }) => good === 0 || bad > 0)
  return { medians, faults: isBad ? ['bad answers'] : [] }
}

/** `settings` are those of `startServerAt`. */
export async function openGateway(bench, { name, mockPort, workers = 1, ...settings }) {
  const dataFolder = join(bench.folder, name)
  mkdirSync(dataFolder)
  const port = await freePort()
  const gateway = startServerAt({ ...bench, ...settings, workers, dataFolder, port })
  const call = await signIn(gateway, `http://127.0.0.1:${port}`)
  await addChannel(call, mockPort)
  return { port, gateway, workers, key: await addToken(call) }
}

const offerJson = (bench, gateway, time) =>
  offerLoad(bench, gateway, { body: 'json', connections: CONNECTIONS * gateway.workers }, time)

/** `rate` and `events` of the load are optional, and its `keysFile` replaces the gateway's key. */
export async function offerLoad(bench, { port, gateway, key }, load, { warmUp, seconds }) {
  const command = [join(bench.bin, 'loadgen'), '-p', port, '-P', gateway.child.pid]
  command.push(...(load.keysFile ? ['-K', load.keysFile] : ['-k', key]))
  command.push('-b', join(bench.folder, `${load.body}.json`), '-c', load.connections)
  command.push('-w', warmUp, '-d', seconds)
  if (load.rate) command.push('-r', load.rate)
  if (load.events) command.push('-e', load.events)
  return JSON.parse(await run(command.map(String), { cpu: bench.cpus?.load, timeoutMs: 60_000 }))
}

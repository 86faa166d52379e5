// Measures what metrics and sampled traces cost a JSON request of 2 kB: see README.md.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { SERVER_FLAGS } from '../tools/launcher/node-flags.mjs'
import { offerLoad, openGateway } from './in-turn.mjs'
import { connectInspector } from './inspector.mjs'
import { freePort, start, stop, untilAnswering } from './processes.mjs'
import { median } from './report.mjs'
import { createNames } from './source-names.mjs'

const LOAD = { body: 'json', connections: 32 }
const WARM_UP_SECONDS = 6
/** Two processes of the same build differ by up to a tenth, so several of each kind are started. */
const SETS = 6
const ROUNDS = 3
const SAMPLED = '0.1'
const SCRAPE_MS = 5000
/** Two scrapes long. */
const PROFILE_SECONDS = 10
const OBSERVING = /server\/src\/(metrics|telemetry)\/|@opentelemetry|@prometheus-io/

/**
 * `max` is the highest share of the work without observers. A profile of one process decides,
 * because the ratio of two processes is uncertain by more than the marks.
 */
const OBSERVERS = [
  { name: 'neither' },
  { name: 'metrics', max: 0.03 },
  { name: 'traces', max: 0.1 },
]

const print = (text) => process.stdout.write(`${text}\n`)

/** Gateways with each kind of observer, the metrics scraped and the spans collected. */
async function openObserved(bench, { set, observers }) {
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const collector = await startCollector()
  const gateways = []
  const scrapes = []
  for (const { name } of observers) {
    const metricsPort = await freePort()
    const variables = {
      metrics: { METRICS_PORT: String(metricsPort) },
      traces: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: SAMPLED,
      },
    }[name]
    const inspectorPort = await freePort()
    const flags = [...SERVER_FLAGS, `--inspect=127.0.0.1:${inspectorPort}`]
    const settings = { mockPort, cpu: bench.cpus?.gateway, variables, flags }
    const opened = await openGateway(bench, { ...settings, name: `${name}-${set}` })
    gateways.push({ ...opened, name, inspectorPort })
    if (name !== 'metrics') continue
    const scrape = () => fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((got) => got.text())
    scrapes.push(setInterval(() => void scrape().catch(() => {}), SCRAPE_MS))
  }
  const close = async () => {
    for (const timer of scrapes) clearInterval(timer)
    for (const { gateway } of gateways) await stop(gateway)
    await stop(mock)
    collector.close()
  }
  return { gateways, collected: collector.spans, close }
}

/** Counts spans, so that a run whose traces went nowhere is found. */
async function startCollector() {
  let spans = 0
  const collect = async (request, response) => {
    const body = JSON.parse(await text(request))
    for (const { scopeSpans } of body.resourceSpans ?? []) {
      for (const scope of scopeSpans) spans += scope.spans.length
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }
  const server = createServer((request, response) => void collect(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, spans: () => spans, close }
}

export async function measureObservers(bench, { isQuick }) {
  const sets = []
  for (let set = 0; set < (isQuick ? 2 : SETS); set += 1) {
    // The start order alternates, because the first process of a set has the emptier machine.
    const observers = set % 2 === 0 ? OBSERVERS : OBSERVERS.toReversed()
    sets.push(await measureSet(bench, { set, observers }))
  }
  print(
    '\n| With | CPU µs | ratio | lowest and highest set | profile % | lowest and highest | at most |',
  )
  print('| --- | ---: | ---: | ---: | ---: | ---: | ---: |')
  const faults = []
  for (const { name, max } of OBSERVERS) {
    const cost = median(sets.map(({ costs }) => median(costs[name]))).toFixed(1)
    const ratios = sets.map(({ costs }) => median(costs[name]) / median(costs.neither))
    const shares = sets.map((set) => set.shares[name] * 100)
    const figures = [spread(ratios, 3), spread(shares, 1)].flat().join(' | ')
    print(`| ${name} | ${cost} | ${figures} | ${max ? max * 100 : '–'} |`)
    const share = median(shares) / 100
    if (max && share > max) faults.push(`${name}: ${share.toFixed(3)}, at most ${max}`)
  }
  return faults
}

/** The median, and the lowest with the highest. */
function spread(values, digits) {
  const sorted = values.toSorted((a, b) => a - b)
  const [lowest, highest] = [sorted[0], sorted.at(-1)].map((value) => value.toFixed(digits))
  return [median(values).toFixed(digits), `${lowest}–${highest}`]
}

/** By the observer's name: the CPU of each round in µs per request, and the observer's share. */
async function measureSet(bench, { set, observers }) {
  const world = await openObserved(bench, { set, observers })
  const costs = Object.fromEntries(observers.map(({ name }) => [name, []]))
  for (const gateway of world.gateways) {
    await offerLoad(bench, gateway, LOAD, { warmUp: 0, seconds: WARM_UP_SECONDS })
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const gateway of round % 2 === 0 ? world.gateways : world.gateways.toReversed()) {
      const answer = await offerLoad(bench, gateway, LOAD, { warmUp: 0.5, seconds: 3 })
      if (answer.good === 0 || answer.bad > 0) throw new Error(`${gateway.name}: bad answers`)
      costs[gateway.name].push(answer.cpu_us)
    }
  }
  const shares = {}
  for (const gateway of world.gateways) shares[gateway.name] = await profileShare(bench, gateway)
  if (world.collected() === 0) throw new Error('the collector got no span')
  await world.close()
  return { costs, shares }
}

/** What observing takes of the main thread during a load, as a share of its other work. */
async function profileShare(bench, gateway) {
  const { send, close } = await connectInspector(gateway.inspectorPort)
  await send('Profiler.enable')
  await send('Profiler.start')
  await offerLoad(bench, gateway, LOAD, { warmUp: 0, seconds: PROFILE_SECONDS })
  const { profile } = await send('Profiler.stop')
  close()
  const nameOf = createNames(bench.root)
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const samples = { observing: 0, other: 0 }
  const dist = `file://${join(bench.root, 'server/dist')}/`
  const count = ({ callFrame, hitCount, children = [] }, isObserving) => {
    const { url } = callFrame
    const isOurs = url.startsWith(dist) || OBSERVING.test(url)
    // Work of Node.js and V8 belongs to its caller.
    const isNow = isOurs ? OBSERVING.test(`${url} ${nameOf(callFrame)}`) : isObserving
    if (callFrame.functionName !== '(idle)') samples[isNow ? 'observing' : 'other'] += hitCount
    for (const id of children) count(nodes.get(id), isNow)
  }
  count(profile.nodes[0], false)
  return samples.observing / samples.other
}

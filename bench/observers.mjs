// Measures what metrics and sampled traces cost a JSON request of 2 kB: see README.md.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { offerLoad, openGateway } from './in-turn.mjs'
import { freePort, start, stop, untilAnswering } from './processes.mjs'
import { median } from './report.mjs'

const LOAD = { body: 'json', connections: 32 }
const WARM_UP_SECONDS = 10
const ROUNDS = 9
const SAMPLED = '0.1'
const SCRAPE_MS = 5000

/** `max` is the highest ratio to the gateway without observers. */
const OBSERVERS = [
  { name: 'neither' },
  { name: 'metrics', max: 1.03 },
  { name: 'traces', max: 1.1 },
]

const print = (text) => process.stdout.write(`${text}\n`)

/** Gateways with each kind of observer, the metrics scraped and the spans collected. */
async function openObserved(bench, observers = OBSERVERS) {
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
    const settings = { name, mockPort, cpu: bench.cpus?.gateway, variables }
    gateways.push({ ...(await openGateway(bench, settings)), name })
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
  const world = await openObserved(bench)
  const costs = OBSERVERS.map(() => [])
  const faults = []
  for (const gateway of world.gateways) {
    await offerLoad(bench, gateway, LOAD, { warmUp: 0, seconds: WARM_UP_SECONDS })
  }
  for (let round = 0; round < (isQuick ? 3 : ROUNDS); round += 1) {
    for (const [index, gateway] of world.gateways.entries()) {
      const answer = await offerLoad(bench, gateway, LOAD, { warmUp: 1, seconds: 4 })
      if (answer.good === 0 || answer.bad > 0) faults.push(`${gateway.name}: bad answers`)
      costs[index].push(answer.cpu_us)
    }
  }
  if (world.collected() === 0) faults.push('the collector got no span')
  await world.close()
  print('\n| With | CPU µs | ratio of the medians | at most |\n| --- | ---: | ---: | ---: |')
  for (const [index, { name, max }] of OBSERVERS.entries()) {
    const ratio = median(costs[index]) / median(costs[0])
    print(`| ${name} | ${median(costs[index]).toFixed(1)} | ${ratio.toFixed(3)} | ${max ?? '–'} |`)
    if (max && ratio > max) faults.push(`${name}: ${ratio.toFixed(3)}, at most ${max}`)
  }
  return faults
}

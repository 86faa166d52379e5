import cluster from 'node:cluster'
import { ClusterRegistry, collectDefaultMetrics, Gauge, register } from '@prometheus-io/client'
import { createRequestMetrics, type RequestMetrics } from './request-metrics.ts'
import { type MetricsSources, registerStateMetrics } from './state-metrics.ts'

export type Metrics = RequestMetrics & {
  /** Adds what is read from the parts of a running app at each scrape. */
  watch: (sources: MetricsSources) => void
  /** The text of a scrape of this process. */
  scrape: () => Promise<string>
}

type MetricsOf = {
  version: string
  /** Open connections of clients. */
  countConnections: () => Promise<number>
}

/** The metrics of this process. Call it once, because the library's registry is global. */
export function createMetrics({ version, countConnections }: MetricsOf): Metrics {
  collectDefaultMetrics()
  // Answers the scrapes of the parent process.
  const registry = cluster.isWorker ? new ClusterRegistry() : register
  new Gauge({
    name: 'tollgate_build_info',
    help: 'The version, as a label.',
    labelNames: ['version'],
    aggregator: 'first',
  }).set({ version }, 1)
  new Gauge({
    name: 'tollgate_client_connections',
    help: 'Open connections of clients, idle ones included.',
    aggregator: 'sum',
    async collect() {
      this.set(await countConnections())
    },
  })
  let sources: MetricsSources | null = null
  const requests = createRequestMetrics({
    quotaPerDollar: () => sources?.settings.current().QuotaPerUnit ?? 1,
  })
  return {
    ...requests,
    watch: (watched) => {
      sources = watched
      registerStateMetrics(watched)
    },
    scrape: () => registry.metrics(),
  }
}

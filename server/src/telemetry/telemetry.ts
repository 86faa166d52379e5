import cluster from 'node:cluster'
import { diag, type DiagLogger, DiagLogLevel } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { RequestTracing } from '../gateway/request-trace.ts'
import type { EndRecord } from '../ledger/record.ts'
import type { Env } from '../process/env.ts'
import { createInstruments } from './request-instruments.ts'
import { recordSpans } from './request-spans.ts'
import { RequestTraces } from './request-traces.ts'
import { samplerOf } from './sampler.ts'

const NAME = 'tollgate'
/** A collector that does not answer delays a stop no longer. */
const CLOSE_MS = 5000

export type Telemetry = RequestTracing & {
  /** An admitted request has ended. Returns the id of its trace. Never throws. */
  ended: (record: EndRecord) => string | undefined
  /** Exports what is left. */
  close: () => Promise<void>
}

type TelemetryDeps = { env: Env; version: string; log: Pick<Logger, 'warn' | 'error'> }

/**
 * Exports traces and metrics over OTLP. The exporters read their addresses, headers and time limits
 * from the variables `OTEL_EXPORTER_OTLP_…` themselves.
 */
export function openTelemetry({ env, version, log }: TelemetryDeps): Telemetry {
  diag.setLogger(diagnosticsTo(log), DiagLogLevel.WARN)
  const resource = resourceOf(env, version)
  const tracers = new TracerProvider({
    resource,
    sampler: samplerOf(env),
    spanProcessors: exportsTo(env, 'TRACES')
      ? [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })]
      : [],
  })
  const meters = exportsTo(env, 'METRICS')
    ? new MeterProvider({
        resource,
        readers: [new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() })],
      })
    : null
  const tracer = tracers.getTracer(NAME, version)
  const measure = meters === null ? null : createInstruments(meters.getMeter(NAME, version))
  const traces = new RequestTraces()
  return {
    begin: (request) => traces.begin(request),
    ended: (record) => {
      const open = traces.take(record.context.requestId)
      if (open === undefined) return undefined
      try {
        measure?.(record, open)
        return recordSpans(tracer, record, open)
      } catch (error) {
        log.error({ error }, 'a request could not be traced')
        return undefined
      }
    },
    close: async () => {
      const closed = Promise.allSettled([tracers.shutdown(), meters?.shutdown()])
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
    },
  }
}

/** False where only the other signal has an address, or the signal is switched off. */
function exportsTo(env: Env, signal: 'TRACES' | 'METRICS'): boolean {
  const address = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] ?? env.OTEL_EXPORTER_OTLP_ENDPOINT
  return address !== undefined && env[`OTEL_${signal}_EXPORTER`] === 'otlp'
}

/** The operator's attributes override ours. Each worker process is an instance. */
function resourceOf({ NODE_ID }: Env, version: string) {
  const instance = cluster.worker === undefined ? NODE_ID : `${NODE_ID}/${cluster.worker.id}`
  const own = {
    'service.name': NAME,
    'service.version': version,
    'service.instance.id': instance,
  }
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }))
}

/** Messages name an address and a status, never what was exported. */
function diagnosticsTo(log: TelemetryDeps['log']): DiagLogger {
  const write = (message: string, ...rest: unknown[]) => {
    const error = rest.find((value) => value instanceof Error) ?? new Error(message)
    log.warn({ error }, 'traces or metrics could not be exported')
  }
  const ignore = () => {}
  return { error: write, warn: write, info: ignore, debug: ignore, verbose: ignore }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { portOf } from '../harness/port-of.ts'

/*
 * A collector of OTLP over HTTP in JSON, as strict as the protocol:
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */

const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.union([z.int(), z.string().regex(/^-?\d+$/)]) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ arrayValue: z.unknown() }),
])
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }))
const nanoseconds = z.string().regex(/^\d{19}$/)
const spanId = z.string().regex(/^(?!0{16})[0-9a-f]{16}$/)

const span = z.object({
  traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
  spanId,
  parentSpanId: spanId.optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  status: z.object({ code: z.int().min(0).max(2) }),
})
const resource = z.object({ attributes })
const tracesSchema = z.strictObject({
  resourceSpans: z.array(
    z.object({ resource, scopeSpans: z.array(z.object({ spans: z.array(span) })) }),
  ),
})

const point = z.object({
  attributes,
  count: z.union([z.int(), z.string().regex(/^\d+$/)]).transform(Number),
  sum: z.number(),
})
const metric = z.object({
  name: z.string().min(1),
  unit: z.string(),
  histogram: z.object({ dataPoints: z.array(point) }),
})
const metricsSchema = z.strictObject({
  resourceMetrics: z.array(
    z.object({ resource, scopeMetrics: z.array(z.object({ metrics: z.array(metric) })) }),
  ),
})

export type CollectedSpan = Omit<z.output<typeof span>, 'attributes'> & {
  attributes: Record<string, unknown>
}
export type CollectedMetric = {
  name: string
  unit: string
  points: { attributes: Record<string, unknown>; count: number; sum: number }[]
}

export type OtlpCollector = {
  url: string
  spans: CollectedSpan[]
  metrics: CollectedMetric[]
  resources: Record<string, unknown>[]
  /** Everything received, as text. */
  received: () => string
  close: () => Promise<void>
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const collector: Omit<OtlpCollector, 'url' | 'close'> = {
    spans: [],
    metrics: [],
    resources: [],
    received: () => bodies.join('\n'),
  }
  const bodies: string[] = []

  const readers: Record<string, (json: unknown) => void> = {
    '/v1/traces': (json) => {
      for (const { resource: from, scopeSpans } of tracesSchema.parse(json).resourceSpans) {
        collector.resources.push(recordOf(from.attributes))
        for (const found of scopeSpans.flatMap(({ spans }) => spans)) {
          collector.spans.push({ ...found, attributes: recordOf(found.attributes) })
        }
      }
    },
    '/v1/metrics': (json) => {
      for (const { scopeMetrics } of metricsSchema.parse(json).resourceMetrics) {
        for (const { name, unit, histogram } of scopeMetrics.flatMap(({ metrics }) => metrics)) {
          const points = histogram.dataPoints.map((found) => ({
            ...found,
            attributes: recordOf(found.attributes),
          }))
          collector.metrics.push({ name, unit, points })
        }
      }
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const body = await text(request)
    bodies.push(body)
    const read = readers[request.url ?? '']
    if (request.method !== 'POST' || read === undefined) return end(response, 404)
    if (request.headers['content-type'] !== 'application/json') return end(response, 415)
    try {
      read(JSON.parse(body))
      return end(response, 200)
    } catch (error) {
      return end(response, 400, String(error))
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    ...collector,
    url: `http://127.0.0.1:${portOf(server)}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function end(response: ServerResponse, status: number, message = '') {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(status === 200 ? '{}' : JSON.stringify({ code: 3, message }))
}

const recordOf = (list: z.output<typeof attributes>): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value: held }) => [key, Object.values(held)[0]]))

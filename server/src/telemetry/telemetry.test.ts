import { afterEach, expect, test } from 'vitest'
import { openChaosWorld } from '../../testing/chaos/chaos-world.ts'
import { type OtlpCollector, startOtlpCollector } from '../../testing/fakes/otlp-collector.ts'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { startServer } from '../../testing/harness/start-server.ts'

const QUOTA = 1_000_000_000
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const PROMPT = 'the words of the prompt'
const MODEL = 'gpt-4o-mini'

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

async function open(variables: (collector: OtlpCollector) => Record<string, string>) {
  const collector = await startOtlpCollector()
  undo.push(collector.close)
  const place = await openTestDatabase('sqlite')
  undo.push(() => place.close())
  const world = await openChaosWorld(place, { quota: QUOTA, tokenQuota: QUOTA })
  undo.push(() => world.close())
  const server = await startServer({ ...world.variables, ...variables(collector) })
  undo.push(() => server.stop('SIGKILL'))
  const ask = async (body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.key}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({
        model: MODEL,
        messages: [{ role: 'user', content: PROMPT }],
        ...body,
      }),
    })
    await response.text()
    return response
  }
  return { collector, world, server, ask }
}

const toCollector = ({ url }: OtlpCollector) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
const sampled = { traceparent: `00-${TRACE}-${PARENT}-01` }

test('a request is a server span with a client span per attempt, under the trace of its client', async () => {
  const { collector, world, server, ask } = await open((to) => ({
    ...toCollector(to),
    OTEL_SERVICE_NAME: 'our-gateway',
    ACCESS_LOG: 'on',
    LOG_LEVEL: 'info',
  }))
  const answer = await ask({ stream: true }, sampled)
  expect(answer.status).toBe(200)
  expect((await ask({ model: 'nobody-has-this' })).status).toBe(503)
  expect((await ask({}, { authorization: 'Bearer sk-unknown' })).status).toBe(401)
  expect(await server.stop('SIGTERM')).toBe(0)

  const [asked] = collector.spans.filter(({ traceId, kind }) => traceId === TRACE && kind === 2)
  const [attempt] = collector.spans.filter(({ traceId, kind }) => traceId === TRACE && kind === 3)
  const requestId = answer.headers.get('x-request-id')
  expect(asked).toMatchObject({
    name: `chat ${MODEL}`,
    parentSpanId: PARENT,
    status: { code: 0 },
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': MODEL,
      'gen_ai.request.stream': true,
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'tollgate.request.id': requestId,
      'tollgate.outcome': 'settled',
      'tollgate.channel.id': world.channel,
      'user.id': String(world.user),
    },
  })
  expect(attempt).toMatchObject({
    name: `chat ${MODEL}`,
    parentSpanId: asked?.spanId,
    attributes: {
      'gen_ai.provider.name': 'custom',
      'gen_ai.request.model': MODEL,
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
    },
  })
  const [began, ended] = [asked, attempt].map((span) => [
    BigInt(span?.startTimeUnixNano ?? 0),
    BigInt(span?.endTimeUnixNano ?? 0),
  ])
  expect(began?.[0]).toBeLessThanOrEqual(ended?.[0] ?? 0n)
  expect(ended?.[1]).toBeGreaterThan(ended?.[0] ?? 0n)

  const failed = collector.spans.filter(({ status }) => status.code === 2)
  expect(failed).toEqual([
    expect.objectContaining({
      name: 'chat nobody-has-this',
      attributes: expect.objectContaining({ 'error.type': 'no_channel' }),
    }),
  ])
  expect(failed[0]?.traceId).not.toBe(TRACE)
  expect(collector.resources[0]).toMatchObject({ 'service.name': 'our-gateway' })

  const lines = accessLines(server.output())
  expect(lines).toEqual([
    expect.objectContaining({ request_id: requestId, trace_id: TRACE, outcome: 'settled' }),
    expect.objectContaining({ reason: 'no_channel', outcome: 'void', quota: 0 }),
    expect.objectContaining({ msg: 'refused', status: 503 }),
    expect.objectContaining({ msg: 'refused', status: 401 }),
  ])
  const told = collector.received() + server.output()
  for (const secret of [PROMPT, world.key, 'sk-unknown']) expect(told).not.toContain(secret)
})

test('durations and tokens are measured under the names of the conventions', async () => {
  const { collector, server, ask } = await open(toCollector)
  for (const stream of [true, false, false]) await ask({ stream })
  expect(await server.stop('SIGTERM')).toBe(0)
  const countOf = (name: string) =>
    collector.metrics.find((metric) => metric.name === name)?.points.map(({ count }) => count)
  expect(countOf('gen_ai.server.request.duration')).toEqual([3])
  expect(countOf('gen_ai.server.time_to_first_token')).toEqual([1])
  expect(countOf('gen_ai.client.operation.duration')).toEqual([3])
  expect(countOf('gen_ai.client.token.usage')).toEqual([3, 3])
  const usage = collector.metrics.find(({ name }) => name === 'gen_ai.client.token.usage')
  expect(usage?.unit).toBe('{token}')
  expect(usage?.points.map(({ attributes }) => attributes['gen_ai.token.type'])).toEqual([
    'input',
    'output',
  ])
})

test('the sampler of the operator decides, and a signal can be switched off', async () => {
  const { collector, server, ask } = await open(({ url }) => ({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  }))
  await ask({})
  await ask({}, { traceparent: `00-${TRACE}-${PARENT}-00` })
  await ask({}, { traceparent: 'no trace' })
  await ask({}, sampled)
  expect(await server.stop('SIGTERM')).toBe(0)
  expect(collector.spans.map(({ traceId }) => traceId)).toEqual([TRACE, TRACE])
  expect(collector.metrics).toEqual([])
})

test('a collector that is away is logged, and costs no request', async () => {
  const { server, ask } = await open(() => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    LOG_LEVEL: 'warn',
  }))
  expect((await ask({})).status).toBe(200)
  expect(await server.stop('SIGTERM')).toBe(0)
  expect(server.output()).toContain('traces or metrics could not be exported')
})

const accessLines = (output: string): Record<string, unknown>[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(({ msg }) => msg === 'request' || msg === 'refused')

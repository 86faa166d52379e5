import { once } from 'node:events'
import OpenAI from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import {
  answerError,
  answerStream,
  chunk,
  gatedStream,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { COST, MODEL, QUOTA, setUp, type World } from '../../../testing/worlds/relay-scenario.ts'
import {
  connect,
  create,
  good,
  limited,
  openSocketWorld,
  unstored,
} from '../../../testing/worlds/responses-socket-scenario.ts'

const bodiesOf = ({ upstream }: World) =>
  upstream
    .requestsOf('p0')
    .map(({ body }) =>
      z.looseObject({ messages: z.array(z.unknown()) }).parse(JSON.parse(body.toString())),
    )

test("OpenAI's client continues a response, and each turn has a row and its charge", async () => {
  const world = await openSocketWorld(good)
  const sdk = new ResponsesWS(new OpenAI({ apiKey: world.key, baseURL: `${world.url}/v1` }))
  onTestFinished(() => sdk.close())
  const completed: { id: string }[] = []
  sdk.on('response.completed', ({ response }) => completed.push(response))
  sdk.on('error', () => {})
  sdk.send({ type: 'response.create', model: MODEL, input: 'first' })
  await waitUntil(async () => completed.length === 1)
  const previous_response_id = completed[0]?.id ?? ''
  sdk.send({ type: 'response.create', model: MODEL, input: 'second', previous_response_id })
  await waitUntil(async () => completed.length === 2)
  sdk.close()
  const { logs } = await world.books()
  expect(logs.map(({ quota, outcome }) => [quota, outcome])).toEqual([
    [COST, 'settled'],
    [COST, 'settled'],
  ])
  expect(bodiesOf(world)[1]?.messages).toMatchObject([
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'Hello there' },
    { role: 'user', content: 'second' },
  ])
})

test('a response continues over HTTP what began on a socket, and the other way round', async () => {
  const world = await openSocketWorld(good)
  const client = await connect(world)
  client.send({ ...create, input: 'one', stream: true })
  const first = await client.next('response.completed')
  const over = async (input: string, previous_response_id?: string) => {
    const body = { model: MODEL, input, stream: true, previous_response_id }
    const text = await (await world.ask(body, { path: '/v1/responses' })).text()
    return /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? ''
  }
  const second = await over('two', first.response?.id)
  const other = await connect(world)
  other.send({ ...create, input: 'three', previous_response_id: second })
  const third = await other.next('response.completed')
  // A response that is stored is continued by a connection that does not know it.
  client.send({ ...create, input: 'four', previous_response_id: third.response?.id })
  await client.next('response.completed', 2)
  const said = { role: 'assistant', content: 'Hello there' }
  const asked = ['one', 'two', 'three', 'four'].map((content) => ({ role: 'user', content }))
  expect(bodiesOf(world).at(-1)?.messages).toEqual(
    asked.flatMap((question, at) => (at === 0 ? [question] : [said, question])),
  )
  const user = await world.addUser({ quota: QUOTA })
  const { key } = await world.addToken({ user })
  const stranger = await connect({ ...world, key })
  stranger.send({ ...create, previous_response_id: second })
  expect(await stranger.next('error')).toMatchObject({
    status: 400,
    error: { code: 'previous_response_not_found' },
  })
  expect(await world.charges()).toEqual([COST, COST, COST, COST])
})

test('a client that closes pays for what was delivered, once', async () => {
  const world = await openSocketWorld(answerStream([chunk({ content: 'Hello' })], 'hang'), {
    upstreamLimits: { idleMs: 20_000 },
  })
  const client = await connect(world)
  client.send(create)
  await client.next('response.output_text.delta')
  client.socket.terminate()
  const { logs } = await world.books()
  expect(logs).toMatchObject([{ end_reason: 'client_left', outcome: 'settled' }])
  expect(logs[0]?.quota).toBeGreaterThan(0)
})

test('a balance that is too small refuses the turn, and nothing is held', async () => {
  const world = await openSocketWorld(good, { quota: 1 })
  const client = await connect(world)
  client.send(create)
  const refusal = await client.next('error')
  expect(refusal).toMatchObject({ error: { code: 'insufficient_quota' } })
  expect(refusal.status).toBeGreaterThanOrEqual(402)
  expect(client.socket.readyState).toBe(WebSocket.OPEN)
  expect((await world.books()).account.quota).toBe(1)
  expect(world.calls()).toEqual([0])
})

test('a warm-up calls no provider, and the next turn has its input', async () => {
  const world = await openSocketWorld(good)
  const client = await connect(world)
  client.send({ ...create, input: 'be brief', generate: false })
  const { response } = await client.next('response.completed')
  expect(world.calls()).toEqual([0])
  client.send({ ...create, stream: true, previous_response_id: response?.id })
  await client.next('response.completed', 2)
  expect(bodiesOf(world)[0]?.messages).toHaveLength(2)
  expect((await world.books()).logs).toHaveLength(1)
})

test.each(['24', '0'])('a failed or unknown response ends there; kept %s hours', async (hours) => {
  const world = await openSocketWorld(
    [good, answerError(400, { message: 'No.', type: 'invalid_request_error' }), good],
    {
      options: [
        ['ResponsesSocketEnabled', 'true'],
        ['ResponseStoreHours', hours],
      ],
    },
  )
  const client = await connect(world)
  client.send({ ...create, previous_response_id: 'resp_of_another_connection' })
  const unknown = await client.next('error')
  expect(unknown).toMatchObject({ status: 400, error: { code: 'previous_response_not_found' } })
  client.send(unstored)
  const { response } = await client.next('response.completed')
  const continued = { ...unstored, previous_response_id: response?.id }
  client.send(continued)
  expect((await client.next('error', 2)).status).toBe(400)
  client.send(continued)
  expect(await client.next('error', 3)).toMatchObject({
    error: { code: 'previous_response_not_found' },
  })
  client.send(unstored)
  await client.next('response.completed', 2)
})

test('a tool whose schema looks like an empty input keeps it, and the input is sent', async () => {
  const world = await openSocketWorld(good)
  const client = await connect(world)
  const parameters = { type: 'object', default: { input: [] } }
  client.send({ ...create, tools: [{ type: 'function', name: 'f', parameters }] })
  await client.next('response.completed')
  expect(bodiesOf(world)).toMatchObject([
    { messages: [{ content: 'hi' }], tools: [{ function: { parameters } }] },
  ])
  expect(await world.charges()).toEqual([COST])
})

test('a previous response that is no id is named so, and not as lost', async () => {
  const world = await openSocketWorld(good)
  const client = await connect(world)
  client.send({ ...create, previous_response_id: 5 })
  expect(await client.next('error')).toMatchObject({
    status: 400,
    error: { code: 'invalid_value', param: 'previous_response_id' },
  })
})

test('lanes run side by side, each one response at a time', async () => {
  const hanging = answerStream([chunk({ content: 'Hello' })], 'hang')
  const world = await openSocketWorld([hanging, good], {
    ...limited({ lanesMax: 2 }),
    upstreamLimits: { idleMs: 20_000 },
  })
  const client = await connect(world)
  client.send({ ...create, stream_id: 'one' })
  await client.next('response.output_text.delta')
  client.send({ ...create, stream_id: 'one' })
  expect(await client.next('error')).toMatchObject({
    stream_id: 'one',
    error: { code: 'response_in_progress' },
  })
  client.send({ ...create, stream_id: 'two' })
  expect(await client.next('response.completed')).toMatchObject({ stream_id: 'two' })
})

test('more lanes than allowed are refused', async () => {
  const world = await openSocketWorld(answerStream([chunk({ content: 'Hello' })], 'hang'), {
    ...limited({ lanesMax: 1 }),
    upstreamLimits: { idleMs: 20_000 },
  })
  const client = await connect(world)
  client.send({ ...create, stream_id: 'one' })
  await client.next('response.output_text.delta')
  client.send({ ...create, stream_id: 'two' })
  expect(await client.next('error')).toMatchObject({ status: 429, stream_id: 'two' })
})

test.each(['', 'no json', '[1]', '{}', '{"type":"response.steer"}'])(
  'a frame that is no request is refused, and the connection goes on: %j',
  async (frame) => {
    const world = await openSocketWorld(good)
    const client = await connect(world)
    client.send(frame)
    expect(await client.next('error')).toMatchObject({ error: { code: 'invalid_event' } })
    client.send(create)
    await client.next('response.completed')
  },
)

test('a frame that is too large closes the connection', async () => {
  const world = await openSocketWorld(good, limited({ frameBytesMax: 1000 }))
  const client = await connect(world)
  client.send({ ...create, input: 'x'.repeat(1000) })
  expect(await client.closed()).toBe(1009)
  expect(world.calls()).toEqual([0])
})

test('conversations beyond the memory of the process are not kept', async () => {
  const world = await openSocketWorld(good, limited({ keptBytesMax: 10 }))
  const client = await connect(world)
  client.send(unstored)
  const { response } = await client.next('response.completed')
  client.send({ ...unstored, previous_response_id: response?.id })
  expect(await client.next('error')).toMatchObject({
    error: { code: 'previous_response_not_found' },
  })
})

test('an idle connection is closed, and an old one takes no more responses', async () => {
  const world = await openSocketWorld(good, limited({ idleMs: 300, lifeMs: 0 }))
  const client = await connect(world)
  client.send(create)
  expect(await client.next('error')).toMatchObject({
    error: { code: 'websocket_connection_limit_reached' },
  })
  expect(await client.closed()).toBe(1000)
})

test('a shutdown lets the running response end', async () => {
  const { script: slow, letGo } = gatedStream(chunk({ content: 'Hello' }), WHOLE_STREAM.slice(1))
  const world = await openSocketWorld(slow, { upstreamLimits: { idleMs: 20_000 } })
  const [busy, idle] = [await connect(world), await connect(world)]
  busy.send(create)
  await busy.next('response.output_text.delta')
  const stopped = world.gateway().shutDown()
  expect(await idle.closed()).toBe(1001)
  letGo()
  await busy.next('response.completed')
  expect(await busy.closed()).toBe(1001)
  await stopped
  expect((await world.books()).logs).toMatchObject([{ quota: COST, outcome: 'settled' }])
})

test('without its option, a socket is answered like by a server that has none', async () => {
  const { url, key } = await setUp(good)
  const address = `${url.replace('http', 'ws')}/v1/responses`
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${key}` } })
  onTestFinished(() => socket.terminate())
  socket.on('error', () => {})
  const [, response] = z
    .tuple([z.unknown(), z.looseObject({ statusCode: z.int() })])
    .parse(await once(socket, 'unexpected-response'))
  expect(response.statusCode).toBe(426)
})

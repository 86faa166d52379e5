import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { answerResponse, messageItem } from '../../../../testing/fakes/responses-provider.ts'
import {
  answerAsAsked,
  answerChat,
  answerJson,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../../testing/harness/databases.ts'
import {
  COST,
  MODEL,
  readError,
  setUp,
  type World,
} from '../../../../testing/worlds/relay-scenario.ts'

const at = { path: '/v1/responses' }
const sdk = ({ url, key }: Pick<World, 'url' | 'key'>) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

const sentBy = ({ upstream }: World, turn: number): unknown =>
  JSON.parse(upstream.requestsOf('p0')[turn]?.body.toString() ?? '')

const refusalOf = async (world: World, body: object) => {
  const response = await world.ask({ model: MODEL, input: 'and now?', ...body }, at)
  return { status: response.status, ...(await readError(response)) }
}

const NOT_FOUND = {
  status: 400,
  code: 'previous_response_not_found',
  param: 'previous_response_id',
}

describe.each(DATABASES)('a response that names the one before, on %s', (kind) => {
  test.each([true, false])('continues the whole conversation, streamed: %s', async (stream) => {
    const world = await setUp(answerAsAsked, { kind })
    const client = sdk(world)
    const next = (input: string, previous_response_id: string | null) => {
      const body = { model: MODEL, input, previous_response_id, instructions: `do ${input}` }
      return stream ? client.responses.stream(body).finalResponse() : client.responses.create(body)
    }
    const first = await next('one', null)
    const second = await next('two', first.id)
    const third = await next('three', second.id)
    expect(third).toMatchObject({ previous_response_id: second.id, store: true })
    expect(sentBy(world, 2)).toMatchObject({
      messages: [
        { role: 'system', content: 'do three' },
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'Hello there' },
        { role: 'user', content: 'two' },
        { role: 'assistant', content: 'Hello there' },
        { role: 'user', content: 'three' },
      ],
    })
    // A response may be continued more than once.
    await next('other', first.id)
    expect(sentBy(world, 3)).toMatchObject({ messages: [{}, {}, {}, { content: 'other' }] })
    expect(await world.charges()).toEqual([COST, COST, COST, COST])
  })

  test('is found neither by another user nor after `store: false`', async () => {
    const world = await setUp(answerAsAsked, { kind })
    const { id } = await sdk(world).responses.create({ model: MODEL, input: 'a secret' })
    const user = await world.addUser({ quota: 1e9 })
    const { key } = await world.addToken({ user })
    expect(await refusalOf({ ...world, key }, { previous_response_id: id })).toMatchObject(
      NOT_FOUND,
    )
    const unstored = await sdk(world).responses.create({ model: MODEL, input: 'hi', store: false })
    const body = { previous_response_id: unstored.id }
    expect(await refusalOf(world, body)).toMatchObject(NOT_FOUND)
    expect(world.upstream.requestsOf('p0')).toHaveLength(2)
  })

  test('is counted with its history, which pays for it', async () => {
    const world = await setUp(answerAsAsked, { kind })
    const input = 'long '.repeat(10_000)
    const { id } = await sdk(world).responses.create({ model: MODEL, input, store: true })
    await world.books()
    const counted = async (previous_response_id?: string) => {
      const body = { model: MODEL, input: 'go on', previous_response_id }
      return (await world.ask(body, { path: '/v1/responses/input_tokens' })).json()
    }
    expect(await counted(id)).toMatchObject({ input_tokens: expect.toSatisfy((n) => n > 10_000) })
    expect(await counted()).toMatchObject({ input_tokens: expect.toSatisfy((n) => n < 100) })
    const stored = world.database.kysely.selectFrom('stored_items').selectAll()
    expect(await stored.execute()).toHaveLength(2)
  })

  test('can be compacted, and the summary is what later turns continue', async () => {
    const script = [answerChat('The file is renamed.'), answerChat('A SUMMARY'), answerChat('Yes.')]
    const world = await setUp(script, { kind })
    const client = sdk(world)
    const first = await client.responses.create({ model: MODEL, input: 'Rename the file.' })
    const compacted = await client.responses.compact({
      model: MODEL,
      previous_response_id: first.id,
    })
    expect(compacted.output).toMatchObject([{ type: 'compaction' }])
    expect(sentBy(world, 1)).toMatchObject({
      messages: [
        { content: 'Rename the file.' },
        { content: 'The file is renamed.' },
        { content: expect.stringContaining('Summarize the conversation') },
      ],
    })
    await client.responses.create({
      model: MODEL,
      input: 'Is it done?',
      previous_response_id: compacted.id,
    })
    const sent = JSON.stringify(sentBy(world, 2))
    expect(sent).toContain('A SUMMARY')
    expect(sent).not.toContain('Rename the file.')
  })
})

test.each([
  ['an unknown id', { previous_response_id: 'resp_none' }, NOT_FOUND],
  ['a number', { previous_response_id: 5 }, { status: 400, code: 'invalid_value' }],
  ['an id that is an item', { previous_response_id: 'item resp_1' }, NOT_FOUND],
  ['the empty id', { previous_response_id: '' }, NOT_FOUND],
  ['a conversation', { conversation: 'conv_1' }, { status: 400, param: 'conversation' }],
])('%s is refused, and the field named', async (_, body, refusal) => {
  const world = await setUp(answerAsAsked)
  expect(await refusalOf(world, body)).toMatchObject(refusal)
  expect(world.upstream.requestsOf('p0')).toEqual([])
})

test('an input of another type is refused with a history too', async () => {
  const world = await setUp(answerAsAsked)
  const { id } = await sdk(world).responses.create({ model: MODEL, input: 'hi' })
  const body = { input: 5, previous_response_id: id }
  expect(await refusalOf(world, body)).toMatchObject({ status: 400, param: 'input' })
})

test('with the option at 0, nothing is stored and the refusal says so', async () => {
  const world = await setUp(answerAsAsked, { options: [['ResponseStoreHours', '0']] })
  const { id, store } = Object.assign(
    { store: null },
    await sdk(world).responses.create({ model: MODEL, input: 'hi' }),
  )
  expect(store).toBe(false)
  const refusal = await refusalOf(world, { previous_response_id: id })
  expect(refusal).toMatchObject({ status: 400, code: 'unsupported_parameter' })
  expect(await world.database.kysely.selectFrom('stored_items').selectAll().execute()).toEqual([])
})

describe('at a provider that speaks Responses', () => {
  const answer = (turn: number) =>
    answerResponse(`resp_${turn}`, messageItem(`said ${turn}`, `msg_${turn}`))

  test.each([false, true])(
    'the history is sent once, without the id, streamed: %s',
    async (stream) => {
      const script = [answer(1), answer(2), answer(3)]
      const world = await setUp([{ type: 1002, script }])
      const turn = async (input: string, previous_response_id?: string) => {
        const sent = await world.ask({ model: MODEL, input, stream, previous_response_id }, at)
        expect(sent.status).toBe(200)
        await sent.text()
      }
      await turn('one')
      await turn('two', 'resp_1')
      await turn('three', 'resp_2')
      const last = sentBy(world, 2)
      expect(last).toMatchObject({
        store: false,
        input: [
          { role: 'user', content: 'one' },
          { id: 'msg_1' },
          { role: 'user', content: 'two' },
          { id: 'msg_2' },
          { role: 'user', content: 'three' },
        ],
      })
      expect(last).not.toHaveProperty('previous_response_id')
      // Failures cannot be continued.
      expect(await refusalOf(world, { previous_response_id: 'resp_9' })).toMatchObject(NOT_FOUND)
      await world.books()
    },
  )
})

test('ids that the gateway gives are short enough for OpenAI, whatever the provider names', async () => {
  const named = JSON.stringify({
    id: `chatcmpl-${'x'.repeat(200)}`,
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  })
  const world = await setUp(answerJson(named))
  const { id, output } = await sdk(world).responses.create({ model: MODEL, input: 'hi' })
  for (const given of [id, output[0]?.id ?? '']) {
    expect(given.length).toBeGreaterThan(40)
    expect(given.length).toBeLessThanOrEqual(64)
  }
})

test.each([
  ['a short response', { input: 'hi' }, true],
  ['a long one', { input: 'long '.repeat(14_000) }, false],
  ['a long one that is to be stored', { input: 'long '.repeat(14_000), store: true }, true],
  ['one that is not to be stored', { input: 'hi', store: false }, false],
])('%s says whether it can be continued', async (_, body, isStored) => {
  const world = await setUp(answerAsAsked)
  for (const stream of [false, true]) {
    const text = await (await world.ask({ model: MODEL, stream, ...body }, at)).text()
    expect(new Set(text.match(/"store":\w+/g))).toEqual(new Set([`"store":${isStored}`]))
    const [, id] = /"id":"(resp_[^"]+)"/.exec(text) ?? []
    const next = { model: MODEL, input: 'and now?', previous_response_id: id }
    expect((await world.ask(next, at)).status).toBe(isStored ? 200 : 400)
  }
})

test('a response whose answer makes it too long says so at its end', async () => {
  const answer = answerChat('x'.repeat(70_000))
  const world = await setUp(answer)
  const text = await (await world.ask({ model: MODEL, input: 'hi' }, at)).text()
  expect(text).toContain('"store":false')
})

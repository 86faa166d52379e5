import { describe, expect, test } from 'vitest'
import { answersAll } from '../../../testing/fakes/realtime-upstream.ts'
import {
  answerAsAsked,
  answerChat,
  answerJson,
  type UpstreamRequest,
} from '../../../testing/fakes/scripted-upstream.ts'
import {
  answerNative,
  askNative,
  channelTo,
  CLAUDE,
} from '../../../testing/worlds/native-scenario.ts'
import { REALTIME_MODEL, setUpRealtime, talk } from '../../../testing/worlds/realtime-scenario.ts'
import {
  ASKED,
  type Provider,
  setUp,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'

const HEADERS = { 'X-Team': 'planted-team', 'anthropic-beta': 'operator-2026-01-01' }
const configOf = (settings: object) => JSON.stringify(settings)
const requestsOf = ({ upstream }: World): UpstreamRequest[] => upstream.requestsOf('p0')
const bodyOf = (world: World) => requestsOf(world).at(-1)?.body.toString() ?? ''

describe('headers', () => {
  const config = configOf({ headers: HEADERS })

  test('are sent with each request', async () => {
    const world = await setUp([{ script: [answerAsAsked], config }])
    for (const body of [ASKED, STREAMED]) await (await world.ask(body)).text()
    const sent = requestsOf(world).map(({ headers }) => headers['x-team'])
    expect(sent).toEqual(['planted-team', 'planted-team'])
    await world.books()
  })

  test('add to the client’s betas', async () => {
    const world = await setUp([{ ...channelTo(CLAUDE, answerNative(CLAUDE)), config }])
    await (await askNative(world, CLAUDE)).text()
    const headers = { 'anthropic-beta': 'client-2026-01-01' }
    await (await askNative(world, CLAUDE, { headers })).text()
    expect(requestsOf(world).map((request) => request.headers['anthropic-beta'])).toEqual([
      'operator-2026-01-01',
      'client-2026-01-01,operator-2026-01-01',
    ])
    await world.books()
  })

  test('are sent where a key is exchanged and where a result is waited for', async () => {
    const baidu: Provider = {
      type: 15,
      key: 'planted-id|planted-secret',
      models: 'ERNIE-3.5-8K',
      script: [
        answerJson({ access_token: 't', expires_in: 2_592_000 }),
        answerJson({ result: 'Hello', usage: { prompt_tokens: 1, completion_tokens: 1 } }),
      ],
      config,
    }
    const exchanging = await setUp([baidu])
    expect((await exchanging.ask({ ...ASKED, model: 'ERNIE-3.5-8K' })).status).toBe(200)
    const state = (task_status: string, more: object = {}) =>
      answerJson({ request_id: 'r', output: { task_id: 't-1', task_status, ...more } })
    const done = state('SUCCEEDED', { results: [{ url: 'https://oss.example/a.png' }] })
    const waiting = await setUp(
      [{ type: 17, models: 'wanx-v1', script: [state('PENDING'), done], config }],
      { options: [['ModelRatio', '{"wanx-v1":10}']], upstreamLimits: { pollMs: 5 } },
    )
    const path = '/v1/images/generations'
    const drawn = await waiting.ask({ model: 'wanx-v1', prompt: 'a cat' }, { path })
    expect(drawn.status).toBe(200)
    for (const world of [exchanging, waiting]) {
      const teams = requestsOf(world).map(({ headers }) => headers['x-team'])
      expect(teams.length).toBeGreaterThan(1)
      expect(new Set(teams)).toEqual(new Set(['planted-team']))
      await world.books()
    }
  })

  test('are sent where a realtime session is opened', async () => {
    const world = await setUpRealtime([[answersAll()]], { providers: [{ config }] })
    const client = await talk(world, { model: REALTIME_MODEL })
    await client.next('session.created')
    expect(world.provider.sessionsOf('p0')[0]?.headers).toMatchObject({ 'x-team': 'planted-team' })
    client.sdk.close()
  })

  test('are in no error that a provider makes of them', async () => {
    const refusal = answerJson({ error: { message: 'planted-team is out' } }, { status: 400 })
    const world = await setUp([{ script: [refusal], config }])
    const text = await (await world.ask()).text()
    expect(text).toContain('[key] is out')
    expect(text).not.toContain('planted')
    await world.books()
  })
})

describe('parameters', () => {
  const config = configOf({
    set_parameters: { temperature: 0.2, 'metadata.team': 'a' },
    remove_parameters: ['seed', 'metadata.trace', 'top_p'],
  })
  const asked =
    `{ "model":"${ASKED.model}", "seed":12345678901234567890,  "temperature" : 1.50,` +
    '"metadata":{"trace":"x", "n": "1"},\n "messages":[{"role":"user","content":"hi"}] }'
  const sent =
    `{ "model":"${ASKED.model}",  "temperature" : 0.2,` +
    '"metadata":{"n": "1","team":"a"},\n "messages":[{"role":"user","content":"hi"}] }'

  test('change the bytes of a client of the same dialect at their places alone', async () => {
    const world = await setUp([{ script: [answerChat()], config }])
    expect((await world.ask(asked)).status).toBe(200)
    expect(bodyOf(world)).toBe(sent)
    expect(requestsOf(world)[0]?.headers['content-length']).toBe(String(Buffer.byteLength(sent)))
    await world.books()
  })

  test('change a long body just so', async () => {
    const world = await setUp([{ script: [answerChat()], config }], { quota: 1e9 })
    const long = (text: string) => text.replace('hi', 'hi '.repeat(700_000))
    expect((await world.ask(long(asked))).status).toBe(200)
    expect(bodyOf(world) === long(sent)).toBe(true)
    await world.books()
  })

  test('change what a provider of another dialect gets, by its own names', async () => {
    const claude = configOf({ set_parameters: { top_k: 7 }, remove_parameters: ['temperature'] })
    const native = await setUp([{ ...channelTo(CLAUDE, answerNative(CLAUDE)), config: claude }])
    await (await askNative(native, CLAUDE)).text()
    expect(bodyOf(native)).toBe(CLAUDE.sent(false).replace(/ \}$/, ',"top_k":7 }'))
    const translated = await native.ask({ ...ASKED, temperature: 0.5 })
    expect(translated.status).toBe(200)
    expect(JSON.parse(bodyOf(native))).toMatchObject({ top_k: 7 })
    expect(JSON.parse(bodyOf(native))).not.toHaveProperty('temperature')
    await native.books()
  })

  test('change what is translated to chat completions', async () => {
    const world = await setUp([{ script: [answerChat()], config }])
    const { status } = await askNative(world, CLAUDE)
    expect(status).toBe(200)
    expect(JSON.parse(bodyOf(world))).toMatchObject({
      temperature: 0.2,
      metadata: { team: 'a' },
      messages: [{ role: 'system' }, { role: 'user' }],
    })
    await world.books()
  })

  test('leave requests alone that are not for text', async () => {
    const script = [answerJson({ data: [{ embedding: [1] }], usage: { prompt_tokens: 1 } })]
    const models = 'text-embedding-3-small'
    const world = await setUp([{ script, models, config }])
    const body = JSON.stringify({ model: models, input: 'hi', seed: 1 })
    expect((await world.ask(body, { path: '/v1/embeddings' })).status).toBe(200)
    expect(bodyOf(world)).toBe(body)
    await world.books()
  })
})

describe('a card', () => {
  const asked = (effort: string) => ({
    model: 'my-model',
    max_tokens: 5000,
    messages: [{ role: 'user', content: 'hi' }],
    thinking: { type: 'adaptive' },
    output_config: { effort },
  })
  const sentEffort = async (settings: object) => {
    const world = await setUp([
      { script: [answerChat()], models: 'my-model', config: configOf(settings) },
    ])
    const { status } = await world.ask(asked('max'), { path: '/v1/messages' })
    expect(status).toBe(200)
    await world.books()
    return JSON.parse(bodyOf(world)).reasoning_effort
  }

  test('decides the effort that a translated request asks for', async () => {
    const card = { 'my-*': { reasoning: { efforts: ['low', 'high'] } } }
    expect(await sentEffort({})).not.toBe('high')
    expect(await sentEffort({ card })).toBe('high')
  })

  test('changes with the channel', async () => {
    const world = await setUp([{ script: [answerChat()], models: 'my-model' }])
    const send = async () => {
      expect((await world.ask(asked('low'), { path: '/v1/messages' })).status).toBe(200)
      return JSON.parse(bodyOf(world)).reasoning_effort
    }
    expect(await send()).toBe('low')
    const config = configOf({ card: { '*': { reasoning: { efforts: ['medium'] } } } })
    await world.database.change((tx) => tx.updateTable('channels').set({ config }).execute())
    expect(await send()).toBe('medium')
    await world.books()
  })
})

test('members of other installations change nothing', async () => {
  const config = configOf({ region: 'us-east-1', headers: 'x', card: 7, sk: 'x' })
  const world = await setUp([{ script: [answerChat()], config }])
  const body = JSON.stringify(ASKED)
  expect((await world.ask(body)).status).toBe(200)
  expect(bodyOf(world)).toBe(body)
  await world.books()
})

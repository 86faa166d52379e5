import { describe, expect, test } from 'vitest'
import { answerChat, answerStream, chunk, DONE } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  ASKED,
  expectRefusal,
  type Provider,
  setUp,
  type Setup,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'

/** What a channel adds to a request is paid for by its client, so it is held and believed. */
describe.each(DATABASES)('what a channel changes, on %s', (kind) => {
  const open = (provider: Provider, setup: Setup = {}) => setUp([provider], { kind, ...setup })
  const set = (parameters: object) => JSON.stringify({ set_parameters: parameters })
  const bodyOf = ({ upstream }: World) => upstream.requestsOf('p0')[0]?.body.toString() ?? '{}'
  const source = (basis: string | undefined) => JSON.parse(basis ?? '{}').usage_source

  /** 4000 bytes, which the provider reads as 3000 tokens. */
  const SCHEMA = { type: 'object', properties: {}, description: 'ab '.repeat(1310) }
  const format = { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA } }
  const config = set({ response_format: format })
  const PROMPT = 3000

  test('its part of a prompt is charged as reported', async () => {
    const usage = { prompt_tokens: PROMPT, completion_tokens: 5, total_tokens: PROMPT + 5 }
    const world = await open({ script: [answerChat('Hello there', usage)], config })
    expect((await world.ask()).status).toBe(200)
    const { log } = await world.books()
    expect(log).toMatchObject({ prompt_tokens: PROMPT, quota: Math.ceil(PROMPT * 0.075 + 5 * 0.3) })
    expect(source(log?.basis)).toBe('reported')
  })

  test('its part of a prompt is held', async () => {
    const world = await open({ script: [answerChat()], config }, { quota: 250 })
    await expectRefusal(world.ask({ ...ASKED, max_tokens: 10 }), 403, 'insufficient_user_quota')
    const plain = await open({ script: [answerChat()] }, { quota: 250 })
    expect((await plain.ask({ ...ASKED, max_tokens: 10 })).status).toBe(200)
    await plain.books()
  })

  test('its part of a prompt is left of the balance that a stream uses up', async () => {
    const words = Array.from({ length: 2800 }, () => chunk({ content: ' token' }))
    const usage = { prompt_tokens: PROMPT, completion_tokens: 2800, total_tokens: PROMPT + 2800 }
    const stream = answerStream([...words, chunk({ finish: 'stop' }), chunk({ usage }), DONE])
    const options: Setup['options'] = [['StreamHoldTokens', '256']]
    const world = await open({ script: [stream], config }, { quota: 1000, options })
    const text = await (await world.ask(STREAMED)).text()
    expect(text).toContain('insufficient_user_quota')
    await world.expectLog({ uncollected: 0, end_reason: 'quota_used_up' })
  })

  test('reasoning that it switches on is charged as reported', async () => {
    const usage = {
      prompt_tokens: 8,
      completion_tokens: 900,
      total_tokens: 908,
      completion_tokens_details: { reasoning_tokens: 890 },
    }
    const model = 'claude-sonnet-4-5'
    const charge = async (given: string) => {
      const provider = { type: 8, models: model, script: [answerChat('Hi', usage)], config: given }
      const world = await open(provider, { quota: 10_000_000 })
      expect((await world.ask({ ...ASKED, model, max_tokens: 2000 })).status).toBe(200)
      const { log } = await world.books()
      return source(log?.basis)
    }
    expect(await charge('')).toBe('overruled')
    expect(await charge(set({ reasoning_effort: 'high' }))).toBe('reported')
  })

  const cardOf = (card: object) => JSON.stringify({ card: { '*': card } })

  test('an output limit that it states is held and believed', async () => {
    const usage = { prompt_tokens: 8, completion_tokens: 20_000, total_tokens: 20_008 }
    const provider = { models: 'gpt-4o-mini', script: [answerChat('Hi', usage)] }
    const stated = cardOf({ limits: { output: 30_000 } })
    const known = await open(provider, { quota: 1e6 })
    expect((await known.ask()).status).toBe(200)
    expect(source((await known.books()).log?.basis)).toBe('overruled')
    const world = await open({ ...provider, config: stated }, { quota: 1e6 })
    expect((await world.ask()).status).toBe(200)
    const { log } = await world.books()
    expect(log).toMatchObject({ completion_tokens: 20_000, uncollected: 0 })
    expect(source(log?.basis)).toBe('reported')
  })

  test('an output limit that it states is the most that a small balance sends', async () => {
    const config = cardOf({ limits: { output: 30_000 } })
    const model = 'my-model'
    const options: Setup['options'] = [['ModelRatio', '{"my-model":0.075}']]
    const provider = { models: model, script: [answerChat()], config }
    const world = await open(provider, { quota: 1700, options })
    expect((await world.ask({ ...ASKED, model })).status).toBe(200)
    const { max_tokens } = JSON.parse(bodyOf(world))
    expect(max_tokens).toBeGreaterThan(20_000)
    await world.books()
  })

  describe('a context window that it states', () => {
    const model = 'gpt-4.1'
    const file = { type: 'file', file: { file_id: 'file-1' } }
    const body = { model, max_tokens: 10, messages: [{ role: 'user', content: [file] }] }
    const config = cardOf({ limits: { context: 2_000_000 } })
    const usage = { prompt_tokens: 1_500_000, completion_tokens: 5, total_tokens: 1_500_005 }
    const provider = { models: model, script: [answerChat('Hi', usage)] }

    test('is held for a file', async () => {
      const known = await open(provider, { quota: 1_200_000 })
      expect((await known.ask(body)).status).toBe(200)
      const world = await open({ ...provider, config }, { quota: 1_200_000 })
      expect((await world.ask(body)).status).toBe(403)
    })

    test('is believed of a file', async () => {
      const world = await open({ ...provider, config }, { quota: 5_000_000 })
      expect((await world.ask(body)).status).toBe(200)
      const { log } = await world.books()
      expect([log?.prompt_tokens, source(log?.basis)]).toEqual([1_500_000, 'reported'])
    })
  })

  test('reasoning that it may switch on is estimated where its end is not seen', async () => {
    const model = 'gpt-5.1'
    const body = { ...STREAMED, model, reasoning_effort: 'none', max_completion_tokens: 8000 }
    const sourceWith = async (given: string) => {
      const script = [answerStream([chunk({ content: 'Hi' })], 'hang')]
      const world = await open(
        { models: model, script, config: given },
        {
          quota: 1e8,
          limits: { drainMs: 50, fullDrainMs: 100 },
          upstreamLimits: { idleMs: 60_000 },
        },
      )
      const client = world.askAndLeave(body)
      await client.firstByte()
      await client.leave()
      return source((await world.books()).log?.basis)
    }
    expect(await sourceWith('')).toBe('counted')
    expect(await sourceWith(set({ reasoning_effort: 'high' }))).toBe('estimated')
  })

  test('reasoning that it states as hidden is held in full', async () => {
    const words = answerStream([chunk({ content: 'Hi' }), chunk({ finish: 'stop' }), DONE])
    const hidden = cardOf({ reasoning: { isHidden: true } })
    const sentLimit = async (config: string) => {
      const world = await open({ script: [words], config }, { quota: 1000 })
      await (await world.ask(STREAMED)).text()
      await world.books()
      return JSON.parse(bodyOf(world)).max_tokens
    }
    expect(await sentLimit('')).toBeUndefined()
    expect(await sentLimit(hidden)).toBeGreaterThan(256)
  })
})

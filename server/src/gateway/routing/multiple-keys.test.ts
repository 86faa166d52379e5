import { describe, expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import {
  answerChat,
  answerError,
  type Behaviour,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'
import { ASKED, MODEL, setUp, type World } from '../../../testing/worlds/relay-scenario.ts'
import { changeRow } from '../../../testing/worlds/rows.ts'

const refuse = (...keys: string[]): Behaviour => {
  const refused = new Set(keys.map((key) => `Bearer ${key}`))
  const no = answerError(401, { code: 'invalid_api_key', message: 'Incorrect API key provided' })
  return (response, request) =>
    (refused.has(request.headers.authorization ?? '') ? no : answerChat())(response, request)
}

const keysUsed = (world: World) =>
  world.upstream.requestsOf('p0').map(({ headers }) => headers.authorization?.slice(7))

const isServed = async ({ url, key }: World) => {
  const headers = { authorization: `Bearer ${key}` }
  return (await fetch(`${url}/v1/models/${MODEL}`, { headers })).status === 200
}

describe.each(DATABASES)('a channel with several keys on %s', (kind) => {
  test('uses them in turn', async () => {
    const world = await setUp([{ script: [answerChat()], key: 'sk-a\nsk-b' }], { kind })
    for (let index = 0; index < 4; index++) expect((await world.ask()).status).toBe(200)
    expect(keysUsed(world)).toEqual(['sk-a', 'sk-b', 'sk-a', 'sk-b'])
    await world.books()
  })

  test('tries its next key for the same request, and skips a refused key from then on', async () => {
    const world = await setUp([{ script: [refuse('sk-a')], key: 'sk-a\nsk-b\nsk-c' }], { kind })
    expect((await world.ask()).status).toBe(200)
    expect(keysUsed(world)[0]).toBe('sk-a')
    // Another change makes the gateway read the registry again.
    await world.addChannel({ base_url: 'http://127.0.0.1:1', group: 'vip' })
    for (let index = 0; index < 4; index++) expect((await world.ask()).status).toBe(200)
    const used = keysUsed(world)
    expect(used.filter((key) => key === 'sk-a')).toHaveLength(1)
    expect(used).toHaveLength(6)
    expect(await world.statusOf(world.channels[0])).toMatchObject({ status: 1 })
    expect(await outboxOf(world)).toEqual([])
    await world.books()
  })

  test('tries all its keys again at another address', async () => {
    const world = await setUp([{ script: [refuse('sk-a')], key: 'sk-a\nsk-b' }], { kind })
    expect((await world.ask()).status).toBe(200)
    const base_url = world.upstream.baseUrl('p0').replace('127.0.0.1', 'localhost')
    const [id = 0] = world.channels
    await changeRow(world, 'channels', id, { base_url })
    await waitUntil(async () => {
      expect((await world.ask()).status).toBe(200)
      return keysUsed(world).filter((key) => key === 'sk-a').length === 2
    })
    await world.books()
  })

  test.each([
    ['two', 'sk-a\nsk-b'],
    ['four', 'sk-a\nsk-b\nsk-c\nsk-d'],
  ])('leaves the last attempt to a channel of lower priority if %s are limited', async (_, key) => {
    const world = await setUp(
      [{ script: [answerError(429, {})], key, priority: 1 }, { script: [answerChat()] }],
      { kind },
    )
    const startedAt = performance.now()
    expect((await world.ask()).status).toBe(200)
    // No key had a Retry-After, so there was no wait.
    expect(performance.now() - startedAt).toBeLessThan(4000)
    expect(world.calls()).toEqual([3, 1])
    await world.books()
  })

  test('continues to use a key for models it is not limited for', async () => {
    const other = 'gpt-4.1'
    const limited = answerError(429, {}, { 'retry-after': '60' })
    const byModel: Behaviour = (response, request) => {
      const isLimited = request.body.includes(MODEL) && request.headers.authorization?.endsWith('a')
      return (isLimited ? limited : answerChat())(response, request)
    }
    const models = `${MODEL},${other}`
    const world = await setUp([{ script: [byModel], key: 'sk-a\nsk-b', models }], { kind })
    expect((await world.ask()).status).toBe(200)
    expect(keysUsed(world)).toEqual(['sk-a', 'sk-b'])
    for (const model of [MODEL, MODEL, other, other]) {
      expect((await world.ask({ ...ASKED, model })).status).toBe(200)
    }
    expect(keysUsed(world).slice(2, 4)).toEqual(['sk-b', 'sk-b'])
    expect(new Set(keysUsed(world).slice(4))).toEqual(new Set(['sk-a', 'sk-b']))
    await world.books()
  })

  test('is disabled, with one alert, when its last key has been refused', async () => {
    const key = 'sk-a\nsk-b'
    const world = await setUp([{ script: [refuse('sk-a', 'sk-b')], key }], { kind })
    const answers = await Promise.all([world.ask(), world.ask(), world.ask()])
    expect(answers.map(({ status }) => status)).not.toContain(200)
    await waitUntil(async () => {
      const { status } = await world.statusOf(world.channels[0])
      return status === CHANNEL_STATUS.autoDisabled
    })
    await world.books()
    await world.gateway().shutDown()
    expect(await outboxOf(world)).toEqual([
      {
        type: 'channel-alert',
        channel_id: world.channels[0],
        name: expect.any(String),
        event: 'disabled',
        reason: 'Incorrect API key provided',
      },
    ])
  })

  test('starts again with all keys when it is re-enabled', async () => {
    const key = 'sk-a\nsk-b'
    const script = [refuse('sk-a', 'sk-b'), refuse('sk-a', 'sk-b'), answerChat()]
    const world = await setUp([{ script, key }], { kind })
    await world.ask()
    const [id = 0] = world.channels
    await waitUntil(async () => (await world.statusOf(id)).status === CHANNEL_STATUS.autoDisabled)
    // The gateway reads the registry a moment later; until then it would still call the channel.
    await waitUntil(async () => !(await isServed(world)))
    await changeRow(world, 'channels', id, { status: 1 })
    await waitUntil(() => isServed(world))
    expect((await world.ask()).status).toBe(200)
    expect((await world.ask()).status).toBe(200)
    expect(new Set(keysUsed(world).slice(-2))).toEqual(new Set(['sk-a', 'sk-b']))
    await world.books()
  })
})

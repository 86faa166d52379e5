import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import {
  answerChat,
  answerError,
  answerJson,
  type Behaviour,
  neverAnswer,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { type ChannelWorld, openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import { idsOf, openControlPlane } from '../../../testing/worlds/control-plane.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'
import { setRow, storedRows } from '../../../testing/worlds/rows.ts'
import { ChannelHealth, type SharedHealth, versionOf } from '../../domain/channel-health.ts'
import { channelReasonInBoth } from '../../text/channel-reason.ts'

const { enabled, disabled, autoDisabled } = CHANNEL_STATUS
const KEY = 'a-key-like-no-other'
const refuseKey = answerError(401, { code: 'invalid_api_key', message: `Wrong API key ${KEY}!` })

describe.each(DATABASES)('tests of many channels on %s', (kind) => {
  let world: ChannelWorld
  let { plane, provider } = {} as ChannelWorld // Safe because the hook sets them.

  /** Successful tests reported to the gateway. */
  let passed: unknown[]
  const health: SharedHealth = {
    view: () => new ChannelHealth().view(0),
    recordSuccess: (channel, upstreamModel, milliseconds) =>
      void passed.push([versionOf(channel), upstreamModel, milliseconds]),
  }

  beforeEach(async () => {
    passed = []
    world = await openChannelWorld(kind, { health })
    ;({ plane, provider } = world)
  })
  afterEach(() => world.close())

  const get = (path: string, language = 'en') =>
    world.call('GET', `/api/channel/${path}`, { language })

  const save = (body: object) => world.call('PUT', '/api/channel/', { body })

  const remove = (path: number | string) => world.call('DELETE', `/api/channel/${path}`)

  /** Adds a channel whose provider has the same name. */
  const add = async (
    name: string,
    script: Behaviour,
    parts: { status?: number; key?: string } = {},
  ) => {
    const { status = enabled, key = KEY } = parts
    const id = await world.addChannel(name, { key, multi_key: true }, script)
    const status_reason = status === autoDisabled ? 'was refused' : ''
    await setRow(plane, 'channels', id, { status, status_reason, response_time: 777 })
    return id
  }

  const rowOf = (id: number) => world.rowOf(id)

  const progress = async () => Object((await get('test/progress')).data)

  const testAll = async (scope = 'all') => {
    const answer = await get(`test?scope=${scope}`)
    expect(answer).toMatchObject({ success: true, message: '' })
    await waitUntil(async () => !(await progress()).running)
    // The notification is written after the end of the run.
    await waitUntil(async () => (await messages('test-finished')).length > 0)
  }

  const messages = async (type: string) =>
    (await outboxOf(plane)).filter((message) => message.type === type)

  const slowly =
    (ms: number): Behaviour =>
    (response, request) => {
      plane.clock.now += ms
      return answerChat()(response, request)
    }

  const nameOf = (message: object) => Number('channel_id' in message && message.channel_id)

  test('each outcome has its effect, its alert, and its place in the total', async () => {
    const good = await add('good', answerChat())
    const down = await add('down', answerError(500, {}))
    const refused = await add('refused', refuseKey)
    const byHand = await add('by-hand', answerChat(), { status: disabled })
    const lost = await add('lost', answerChat(), { status: autoDisabled })
    const stillLost = await add('still-lost', refuseKey, { status: autoDisabled })
    await testAll()

    const now = Math.floor(plane.clock.now / 1000)
    const tested = { test_time: now }
    expect(await rowOf(good)).toMatchObject({ ...tested, status: enabled, response_time: 1 })
    expect(await rowOf(down)).toMatchObject({ ...tested, status: enabled, response_time: 777 })
    const reason = 'Wrong API key [key]!'
    const off = { status: autoDisabled, status_reason: reason, response_time: 777 }
    expect(await rowOf(refused)).toMatchObject({ ...tested, ...off })
    expect(await rowOf(byHand)).toMatchObject({ ...tested, status: disabled })
    expect(await rowOf(lost)).toMatchObject({ ...tested, status: enabled, status_reason: '' })
    expect(await rowOf(stillLost)).toMatchObject({
      ...tested,
      status: autoDisabled,
      status_reason: 'was refused',
    })
    const alert = { type: 'channel-alert' }
    expect((await messages('channel-alert')).toSorted((a, b) => nameOf(a) - nameOf(b))).toEqual([
      { ...alert, channel_id: refused, name: 'refused', event: 'disabled', reason },
      { ...alert, channel_id: lost, name: 'lost', event: 'enabled', reason: '' },
    ])
    expect(await messages('test-finished')).toEqual([
      { type: 'test-finished', total: 6, failed: 3, seconds: 0 },
    ])
    const sums = { total: 6, done: 6, failed: 3, started_at: now, ended_at: now }
    expect(await progress()).toEqual({ running: false, ...sums })
    expect(await storedRows(plane, 'logs')).toEqual([])
  })

  test('an edit during a test wins over the test', async () => {
    const during =
      (edit: object, then: Behaviour): Behaviour =>
      async (response, request) => {
        const [only] = idsOf(await get(''))
        expect((await save({ id: only, ...edit })).success).toBe(true)
        return then(response, request)
      }
    const lost = await add('lost', during({ status: 2 }, answerChat()), {
      status: autoDisabled,
    })
    await testAll()
    expect(await rowOf(lost)).toMatchObject({ status: disabled })
    await remove(lost)
    const changed = await add('changed', during({ key: 'a-new-key' }, refuseKey))
    await testAll()
    expect(await rowOf(changed)).toMatchObject({ status: enabled })
    expect(await messages('channel-alert')).toEqual([])
  })

  test('a channel deleted meanwhile is skipped', async () => {
    const ids: number[] = []
    const removeAll: Behaviour = async (response, request) => {
      for (const id of ids) await remove(id)
      return refuseKey(response, request)
    }
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) ids.push(await add(name, removeAll))
    await testAll()
    expect(await storedRows(plane, 'channels')).toEqual([])
    expect(await messages('channel-alert')).toEqual([])
    expect((await progress()).done).toBe(6)
  })

  test('there is one run at a time; an empty scope means all', async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    await add('held', async (response, request) => {
      await held
      return answerChat()(response, request)
    })
    expect(await progress()).toMatchObject({ running: false, total: 0, started_at: 0 })
    expect((await get('test/?scope=')).success).toBe(true)
    expect((await get('test?scope=disabled')).message).toMatch(/0 of 1 channels are done/)
    expect((await get('test', 'zh')).message).toMatch(/0\/1/)
    expect(await progress()).toMatchObject({ running: true, total: 1, done: 0, ended_at: 0 })
    const other = await openControlPlane(kind, { sharing: plane })
    const askOther = (path: string) =>
      other.call('GET', `/api/channel/${path}`, { as: world.admin })
    expect((await askOther('test/progress')).data).toEqual(await progress())
    expect((await askOther('test')).message).toMatch(/0 of 1 channels are done/)
    await other.close()
    letGo()
    await waitUntil(async () => (await messages('test-finished')).length === 1)
    await testAll()
  })

  test('two concurrent tests enable a channel with one alert', async () => {
    const lost = await add('lost', answerChat(), { status: autoDisabled })
    await Promise.all([get(`test/${lost}`), get(`test/${lost}`), get(`test/${lost}`)])
    expect(await rowOf(lost)).toMatchObject({ status: enabled })
    expect(await messages('channel-alert')).toHaveLength(1)
  })

  test('deleting disabled channels removes their abilities and returns the count', async () => {
    const kept = await add('kept', answerChat())
    await add('by-hand', answerChat(), { status: disabled })
    await add('lost', answerChat(), { status: autoDisabled })
    let changes = 0
    plane.database.onChange(() => changes++)
    expect(await remove('disabled/')).toMatchObject({ success: true, message: '', data: 2 })
    expect(changes).toBeGreaterThan(0)
    expect(idsOf(await get(''))).toEqual([kept])
    const abilities = await storedRows(plane, 'abilities')
    expect(new Set(abilities.map(({ channel_id }) => channel_id))).toEqual(new Set([kept]))
    expect((await remove('disabled/')).data).toBe(0)
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test("the gateway learns of each passed test, by the channel's model name", async () => {
    const good = await add('good', slowly(40))
    const refused = await add('refused', refuseKey)
    const mapped = { id: good, model_mapping: '{"gpt-4o":"mapped"}', models: 'gpt-4o' }
    expect(await save(mapped)).toMatchObject({ success: true })
    await get(`test/${good}`)
    await get(`test/${refused}`)
    const told = [versionOf(await rowOf(good)), 'mapped', 40]
    expect(passed).toEqual([told])
    await testAll()
    expect(passed).toEqual([told, told])
  })

  test('the scope "disabled" leaves enabled channels alone', async () => {
    const good = await add('good', answerChat())
    const byHand = await add('by-hand', answerChat(), { status: disabled })
    const lost = await add('lost', answerChat(), { status: autoDisabled })
    await testAll('disabled')
    expect((await rowOf(good)).test_time).toBe(0)
    expect(await rowOf(byHand)).toMatchObject({ status: disabled, response_time: 1 })
    expect(await rowOf(lost)).toMatchObject({ status: enabled })
  })

  test('options that are off have no effect', async () => {
    await plane.setOption('AutomaticDisableChannelEnabled', 'false')
    await plane.setOption('AutomaticEnableChannelEnabled', 'false')
    const refused = await add('refused', refuseKey)
    const lost = await add('lost', answerChat(), { status: autoDisabled })
    await testAll()
    expect(await rowOf(refused)).toMatchObject({ status: enabled, status_reason: '' })
    expect(await rowOf(lost)).toMatchObject({ status: autoDisabled })
    expect(await messages('channel-alert')).toEqual([])
  })

  test('the alert of a refusal without a message says why in both languages', async () => {
    await add('bare', answerJson({}, { status: 401 }))
    await testAll()
    const reason = 'The upstream answered with status 401 (application/json, 2 bytes).'
    const reason_zh = '上游返回 HTTP 401（application/json，2 字节）。'
    expect(await messages('channel-alert')).toMatchObject([{ reason, reason_zh }])
  })

  test('a slow channel is disabled, or reported once', async () => {
    const slow = await add('slow', slowly(6000))
    await plane.setOption('AutomaticDisableChannelEnabled', 'false')
    await testAll()
    expect(await rowOf(slow)).toMatchObject({ status: enabled, response_time: 6000 })
    await testAll()
    const reason = 'The test took 6 s, more than the 5 s allowed.'
    const alert = { type: 'channel-alert', channel_id: slow, name: 'slow', reason }
    expect(await messages('channel-alert')).toEqual([{ ...alert, event: 'slow' }])
    await plane.setOption('AutomaticDisableChannelEnabled', 'true')
    await testAll()
    expect(await rowOf(slow)).toMatchObject({ status: autoDisabled, status_reason: reason })
    expect(channelReasonInBoth(reason)).not.toBeNull()
    expect((await messages('channel-alert'))[1]).toEqual({ ...alert, event: 'disabled' })
  })

  test('a channel with several keys is judged by all of them', async () => {
    const acceptOnly =
      (key: string): Behaviour =>
      (response, request) => {
        const isIt = request.headers.authorization === `Bearer ${key}`
        return (isIt ? answerChat() : refuseKey)(response, request)
      }
    const key = 'key-1\nkey-2\nkey-3'
    const lost = await add('lost', acceptOnly('key-2'), { key, status: autoDisabled })
    const dead = await add('dead', acceptOnly('key-9'), { key })
    await testAll()
    expect(provider.requestsOf('lost')).toHaveLength(2)
    expect(await rowOf(lost)).toMatchObject({ status: enabled })
    expect(provider.requestsOf('dead')).toHaveLength(3)
    expect(await rowOf(dead)).toMatchObject({ status: autoDisabled })
  })

  test('a single test revives a lost channel once, and disables none', async () => {
    const lost = await add('lost', answerChat(), { status: autoDisabled })
    const byHand = await add('by-hand', answerChat(), { status: disabled })
    const refused = await add('refused', refuseKey)
    for (const id of [lost, lost, byHand, refused]) await get(`test/${id}`)
    expect(await rowOf(lost)).toMatchObject({ status: enabled, status_reason: '' })
    expect(await rowOf(byHand)).toMatchObject({ status: disabled })
    expect(await rowOf(refused)).toMatchObject({ status: enabled })
    expect(await messages('channel-alert')).toMatchObject([{ channel_id: lost, event: 'enabled' }])
  })

  test('a shutdown does not wait for a silent provider', async () => {
    const silent = await add('silent', neverAnswer)
    await get('test')
    await waitUntil(async () => provider.requestsOf('silent').length === 1)
    const { database, logLines } = plane
    const { close } = database
    let left: object = {}
    database.close = async () => {
      left = await rowOf(silent)
      await close()
    }
    await plane.close()
    // An aborted test must not count against the channel.
    expect(left).toMatchObject({ status: enabled, test_time: 0 })
    expect(logLines.join('')).not.toContain('could not')
    await waitUntil(async () => provider.brokenOffCount() === 1)
    await provider.close()
    world = await openChannelWorld(kind)
  })
})

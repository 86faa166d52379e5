import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CHANNEL_STATUS, ROLE, routeEntrySchema } from '@tollgate/contract'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { openControlPlane, type Person } from '../../../testing/worlds/control-plane.ts'
import { setRow } from '../../../testing/worlds/rows.ts'
import { ChannelHealth, type SharedHealth } from '../../domain/channel-health.ts'
import { listRouteChannels } from '../../store/route-channels.ts'

const UNKNOWN_TYPE = 99

describe('the route plan of a model', () => {
  let admin: Person
  const healths = new Map<string, ChannelHealth>()
  const health: SharedHealth = {
    view: ({ id }, model) =>
      (healths.get(`${id} ${model}`) ?? new ChannelHealth()).view(plane.clock.now),
    recordSuccess: () => {},
  }
  const plane = openPerTest(() => openControlPlane('sqlite', { health }))

  beforeEach(async () => {
    healths.clear()
    admin = await plane.addPerson(ROLE.admin)
  })

  const add = (name: string, parts: object = {}) =>
    plane.addChannel(admin, { name, base_url: 'http://a.invalid', models: 'm', ...parts })

  const plan = async (query: string) => {
    const answer = await plane.done('GET', `/api/channel/route?${query}`, { as: admin })
    return z.array(routeEntrySchema).parse(answer.data)
  }

  const turnsOf = (entries: Awaited<ReturnType<typeof plan>>) =>
    entries.map(({ name, order, chance, reason }) => [name, order, chance, reason])

  test('lists channels by priority and weight, with the upstream model names', async () => {
    await add('low', { priority: -1 })
    await add('light', { weight: 1 })
    await add('heavy', { weight: 3, model_mapping: '{"m":"mapped"}' })
    await add('spare', { weight: 0 })
    const entries = await plan('model=m')
    expect(turnsOf(entries)).toEqual([
      ['heavy', 1, 0.75, ''],
      ['light', 2, 0.25, ''],
      ['spare', 3, 0, 'weight_zero'],
      ['low', 4, 0, ''],
    ])
    expect(entries.map(({ upstream_model }) => upstream_model)).toEqual(['mapped', 'm', 'm', 'm'])
  })

  test('lists the first channels if there are too many', async () => {
    await add('off', { status: CHANNEL_STATUS.disabled, priority: 9 })
    await add('low', { priority: -1 })
    await add('light', { weight: 1 })
    await add('heavy', { weight: 3 })
    await add('first', { priority: 5 })
    const wanted = { group: 'default', model: 'm' }
    const seen = await listRouteChannels(plane.database.kysely, wanted, 4)
    expect(seen.map(({ name }) => name)).toEqual(['first', 'heavy', 'light', 'low'])
  })

  test('says why other channels are excluded, those with the same model first', async () => {
    await add('serves')
    await add('off', { status: CHANNEL_STATUS.disabled })
    await add('refused', { status: CHANNEL_STATUS.autoDisabled })
    await add('vip', { group: 'vip' })
    await add('else', { models: 'other', priority: 9 })
    const unknown = await add('unknown')
    await setRow(plane, 'channels', unknown, { type: UNKNOWN_TYPE })
    const reasons = (await plan('model=m')).map(({ name, order, reason }) => [name, order, reason])
    expect(reasons.slice(0, 1)).toEqual([['serves', 1, '']])
    expect(new Set(reasons.slice(1, 4))).toEqual(
      new Set([
        ['off', 0, 'disabled'],
        ['refused', 0, 'auto_disabled'],
        ['unknown', 0, 'type_unserved'],
      ]),
    )
    expect(reasons.slice(4)).toEqual([
      ['vip', 0, 'group_not_served'],
      ['else', 0, 'model_not_served'],
    ])
    expect(turnsOf(await plan('model=m&group=vip'))[0]).toEqual(['vip', 1, 1, ''])
  })

  test('excludes channels without a price for the model, if such models are refused', async () => {
    await add('unpriced', { priority: 9 })
    await add('priced', { model_mapping: '{"m":"gpt-4o"}' })
    expect(turnsOf(await plan('model=m'))[0]).toEqual(['unpriced', 1, 1, ''])
    await plane.setOption('DefaultModelRatio', '')
    expect(turnsOf(await plan('model=m'))).toEqual([
      ['priced', 1, 1, ''],
      ['unpriced', 0, 0, 'price_unset'],
    ])
  })

  test('excludes channels with a key that this server cannot decrypt', async () => {
    const moved = await add('moved', { priority: 9 })
    await add('serves')
    const key_sealed = plane.secrets.sealRelayKey('sealed for something else')
    await setRow(plane, 'channels', moved, { key_sealed })
    expect(turnsOf(await plan('model=m'))).toEqual([
      ['serves', 1, 1, ''],
      ['moved', 0, 0, 'key_unreadable'],
    ])
  })

  test('excludes a channel during its Retry-After, with the remaining time and its health', async () => {
    const id = await add('ill', { priority: 9 })
    await add('well')
    const ill = new ChannelHealth()
    healths.set(`${id} m`, ill)
    const { now } = plane.clock
    ill.answerStarted({ startedAt: now, kind: 'stream', ms: 300 })
    ill.succeeded(now)
    const failure = { retryAfterMs: 30_000, isFromProvider: true, random: Math.random }
    ill.failed({ now, startedAt: now, ...failure })
    plane.clock.now += 10_000
    const [first, second] = await plan('model=m')
    expect(first).toMatchObject({ name: 'well', chance: 1, success_share: null, first_token: null })
    const left = { order: 0, reason: 'left_alone', ready_in: 20_000 }
    expect(second).toMatchObject({ name: 'ill', ...left, success_share: 0.5 })
  })

  test('puts channels in cooldown last, and those beyond the attempts nowhere', async () => {
    const ids = [await add('ill', { priority: 9 }), await add('first', { priority: 8 })]
    await add('second', { priority: 7 })
    await add('third', { priority: 6 })
    const ill = new ChannelHealth()
    healths.set(`${ids[0]} m`, ill)
    ill.startCooldown(plane.clock.now, 5000)
    await plane.setOption('RetryTimes', '10')
    expect(turnsOf(await plan('model=m'))).toEqual([
      ['first', 1, 1, ''],
      ['second', 2, 0, ''],
      ['third', 3, 0, ''],
      ['ill', 4, 0, 'cooling'],
    ])
    await plane.setOption('RetryTimes', '2')
    expect(turnsOf(await plan('model=m'))).toEqual([
      ['first', 1, 1, ''],
      ['second', 2, 0, ''],
      ['ill', 0, 0, 'no_tries_left'],
      ['third', 0, 0, 'no_tries_left'],
    ])
  })

  test('is empty for an unserved model, and the model is required', async () => {
    await add('else', { models: 'other' })
    expect(turnsOf(await plan('model=nobody'))).toEqual([['else', 0, 0, 'model_not_served']])
    const answer = await plane.call('GET', '/api/channel/route?group=default', { as: admin })
    expect(answer.success).toBe(false)
  })
})

import { beforeAll, expect, test } from 'vitest'
import { priceEndpoints } from '@tollgate/contract'
import { idsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'

/** $0.15 for a million input tokens, $0.60 of output. */
const MINI = 'gpt-4o-mini'

describePlane('what would be sold below cost', ['admin'], ({ plane, admin }) => {
  let channel: number

  const form = { type: 1, key: 'sk-1', models: MINI, group: 'default' }

  beforeAll(async () => {
    const create = async (body: object) =>
      idsOf(await plane.call('POST', '/api/channel/', { as: admin, body }))[0] ?? 0
    channel = await create({ ...form, name: 'cheap', config: '{"cost":{"factor":0.8}}' })
    await create({ ...form, name: 'dear', config: '{"cost":{"factor":2}}' })
    await create({ ...form, name: 'off', config: '{"cost":{"factor":9}}', status: 2 })
  })

  async function losses(body: object) {
    const answer = await plane.call('POST', '/api/price/losses', { as: admin, body })
    expect(answer.success, answer.message).toBe(true)
    return priceEndpoints.findPriceLosses.parts.data.parse(answer.data)
  }

  const option = (key: string, table: unknown) => ({
    options: [{ key, value: JSON.stringify(table) }],
  })

  test('by an own price: only what is not sold below cost already', async () => {
    expect(await losses(option('ModelRatio', { [MINI]: 0.075 }))).toEqual({ total: 0, losses: [] })
    expect(await losses(option('ModelRatio', { [MINI]: 0.05 }))).toMatchObject({
      total: 2,
      losses: [
        {
          model: MINI,
          channel,
          channel_name: 'cheap',
          group: 'default',
          part: 'input',
          price: 0.1,
          cost: 0.12,
        },
        { channel_name: 'dear', price: 0.1, cost: 0.3 },
      ],
    })
    expect(await losses(option('CompletionRatio', { [MINI]: 2 }))).toMatchObject({
      total: 1,
      losses: [{ channel_name: 'cheap', part: 'output', price: 0.3, cost: 0.48 }],
    })
  })

  test('by a price in dollars, and by going back to the list price', async () => {
    const propose = (price: object | null) => losses({ model_price: { model: MINI, price } })
    expect(await propose({ input: 0.15, output: 0.6 })).toMatchObject({ total: 0 })
    expect(await propose({ input: 0.1, output: 0.6 })).toMatchObject({
      losses: [
        { channel_name: 'cheap', part: 'input', price: 0.1, cost: 0.12 },
        { channel_name: 'dear' },
      ],
    })
    expect(await propose({ per_call: 0.0001 })).toMatchObject({
      total: 2,
      losses: [{ part: 'call' }, { part: 'call' }],
    })
    const set = (ratio: object) =>
      plane.call('PUT', '/api/option/', {
        as: admin,
        body: { key: 'ModelRatio', value: JSON.stringify(ratio) },
      })
    expect(await propose(null)).toMatchObject({ total: 0 })
    await set({ [MINI]: 0.2 })
    expect(await propose(null)).toMatchObject({
      losses: [{ channel_name: 'dear', price: 0.15, cost: 0.3 }],
    })
    await set({})
  })

  test('by the ratio of a group, and by the units of a dollar', async () => {
    expect(await losses(option('GroupRatio', { default: 0.5 }))).toMatchObject({ total: 2 })
    expect(await losses(option('GroupRatio', { default: 3 }))).toMatchObject({ total: 0 })
    expect(await losses(option('QuotaPerUnit', 1_000_000))).toMatchObject({ total: 2 })
  })

  test('by a channel: its cost, a dearer model, or a cheap group', async () => {
    const stored = { name: 'cheap', models: MINI, group: 'default' }
    const edit = (changes: object) => losses({ channel: { id: channel, ...stored, ...changes } })
    expect(await edit({ config: '{"cost":{"factor":1}}' })).toMatchObject({ total: 0 })
    expect(await edit({ config: '{"cost":{"factor":1.1}}' })).toMatchObject({
      total: 1,
      losses: [{ channel, cost: 0.165 }],
    })
    const mapped = JSON.stringify({ [MINI]: 'gpt-4o' })
    expect(await edit({ model_mapping: mapped })).toMatchObject({ losses: [{ cost: 2.5 }] })
    const added = {
      name: 'new',
      models: MINI,
      group: 'default',
      config: '{"cost":{"group_ratio":3}}',
    }
    expect(await losses({ channel: added })).toMatchObject({
      losses: [{ channel: 0, channel_name: 'new', cost: 0.45 }],
    })
  })

  test('by a feed, whose prices may rise above an own price', async () => {
    const feed = { name: 'F', kind: 'tollgate', url: '', every_hours: 0 }
    const created = await plane.call('POST', '/api/price/feed/', { as: admin, body: feed })
    const id = idsOf({ ...created, data: [created.data] })[0] ?? 0
    const models = { [MINI]: { input: 0.3, output: 1.2 } }
    const list = { OpenAI: { source: 'https://example.com', date: '2026-11-27', models } }
    const pulled = await plane.call('POST', '/api/price/feed/pull', {
      as: admin,
      body: { id, content: JSON.stringify(list) },
    })
    expect(pulled.success, pulled.message).toBe(true)
    // What is sold at a loss already is sold at a larger one.
    expect(await losses({ feed: { id, models: [MINI] } })).toMatchObject({
      total: 1,
      losses: [{ channel_name: 'dear', price: 0.3, cost: 0.6 }],
    })
    await plane.call('PUT', '/api/option/', {
      as: admin,
      body: { key: 'ModelRatio', value: JSON.stringify({ [MINI]: 0.1 }) },
    })
    expect(await losses({ feed: { id, models: [MINI] } })).toMatchObject({
      losses: [{ channel_name: 'cheap', price: 0.2, cost: 0.24 }, { channel_name: 'dear' }],
    })
  })

  test('an invalid value has none, and nothing is changed', async () => {
    expect(await losses(option('ModelRatio', { [MINI]: -1 }))).toEqual({ total: 0, losses: [] })
    const { data } = await plane.call('GET', '/api/option/', { as: admin })
    expect(JSON.stringify(data)).not.toContain('"value":"{\\"default\\":0.5}"')
  })
})

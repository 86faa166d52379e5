import { beforeAll, expect, test } from 'vitest'
import { priceEndpoints } from '@tollgate/contract'
import { idOf } from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'

/** $0.15 for a million input tokens, $0.60 of output. */
const MINI = 'gpt-4o-mini'

describePlane('what would be sold below cost', ['admin'], ({ plane, admin }) => {
  let channel: number
  const cheap = { channel_name: 'cheap', part: 'input' }

  beforeAll(async () => {
    const add = (name: string, factor: number, status = 1) => {
      const config = JSON.stringify({ cost: { factor } })
      return plane.addChannel(admin, { models: MINI, name, config, status })
    }
    channel = await add('cheap', 0.8)
    await add('dear', 2)
    await add('off', 9, 2)
  })

  const setRatio = (ratio: object) =>
    plane.call('PUT', '/api/option/', {
      as: admin,
      body: { key: 'ModelRatio', value: JSON.stringify(ratio) },
    })

  async function losses(body: object) {
    const answer = await plane.done('POST', '/api/price/losses', { as: admin, body })
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
        { ...cheap, channel, model: MINI, group: 'default', price: 0.1, cost: 0.12 },
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
      losses: [{ ...cheap, price: 0.1, cost: 0.12 }, { channel_name: 'dear' }],
    })
    expect(await propose({ per_call: 0.0001 })).toMatchObject({
      total: 2,
      losses: [{ part: 'call' }, { part: 'call' }],
    })
    expect(await propose(null)).toMatchObject({ total: 0 })
    await setRatio({ [MINI]: 0.2 })
    expect(await propose(null)).toMatchObject({
      losses: [{ channel_name: 'dear', price: 0.15, cost: 0.3 }],
    })
    await setRatio({})
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
    const added = { ...stored, name: 'new', config: '{"cost":{"group_ratio":3}}' }
    expect(await losses({ channel: added })).toMatchObject({
      losses: [{ channel: 0, channel_name: 'new', cost: 0.45 }],
    })
  })

  test('by a feed, whose prices may rise above an own price', async () => {
    const feed = { name: 'F', kind: 'tollgate', url: '', every_hours: 0 }
    const id = idOf(await plane.call('POST', '/api/price/feed/', { as: admin, body: feed }))
    const models = { [MINI]: { input: 0.3, output: 1.2 } }
    const list = { OpenAI: { source: 'https://example.com', date: '2026-11-27', models } }
    const body = { id, content: JSON.stringify(list) }
    await plane.done('POST', '/api/price/feed/pull', { as: admin, body })
    // What is sold at a loss already is sold at a larger one.
    expect(await losses({ feed: { id, models: [MINI] } })).toMatchObject({
      total: 1,
      losses: [{ channel_name: 'dear', price: 0.3, cost: 0.6 }],
    })
    await setRatio({ [MINI]: 0.1 })
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

import { beforeEach, expect, test } from 'vitest'
import { modelPriceEndpoints, ROLE } from '@tollgate/contract'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'
import { findPrice } from '../../domain/find-price.ts'
import { writeBegunPrices } from '../../jobs/write-begun-prices.ts'

const MODEL = 'gpt-6-sol'
const DAY_MS = 86_400_000

describePlane('own prices in dollars', [], ({ plane }) => {
  let admin: Person
  beforeEach(async () => {
    // Tests advance the clock beyond the end of sessions.
    admin = await plane.addPerson(ROLE.admin)
    await reset(MODEL)
  })

  const put = (body: object) => plane.call('PUT', '/api/price/model', { as: admin, body })
  const reset = (model: string) =>
    plane.call('POST', '/api/price/model/reset', { as: admin, body: { model } })
  const list = async (query: string) => {
    const { data } = await plane.call('GET', `/api/price/model?${query}`, { as: admin })
    return modelPriceEndpoints.listModelPrices.parts.data.parse(data)
  }
  const rows = async (query: string) => (await list(query)).rows
  const row = async (model = MODEL) =>
    (await rows(`scope=all&keyword=${model}`)).find((one) => one.model === model)
  const charged = () => {
    const options = plane.settings.current()
    return findPrice({ requested: MODEL, mapped: MODEL, options })
  }

  test('a price in dollars becomes own ratios, and the list price comes back', async () => {
    const listed = { input: 2, output: 10, cached: 0.2, cache_write: 2.5 }
    const builtIn = { layer: 'built_in', price: listed, list: listed, vendor: 'OpenAI' }
    expect(await row()).toMatchObject(builtIn)
    expect((await put({ model: MODEL, price: { input: 3, output: 12 } })).success).toBe(true)
    expect(plane.settings.current()).toMatchObject({
      ModelRatio: { [MODEL]: 1.5 },
      CompletionRatio: { [MODEL]: 4 },
      CacheRatio: {},
    })
    // Parts that are left out keep their relation to input.
    const price = { input: 3, output: 12, cached: 0.3 }
    expect(await row()).toMatchObject({ layer: 'own', price, list: listed })
    await put({ model: MODEL, price: { input: 3, output: 12, cached: 0.6, audio_input: 30 } })
    expect(charged()).toMatchObject({ cache_ratio: 0.2, kind_ratios: { audio_prompt: 10 } })
    await reset(MODEL)
    expect(await row()).toMatchObject(builtIn)
    expect(plane.settings.current().CacheRatio).toEqual({})
  })

  test('a price by the call replaces prices by tokens, and the other way round', async () => {
    await put({ model: MODEL, price: { per_call: 0.05 } })
    expect(await row()).toMatchObject({ layer: 'own', price: { per_call: 0.05 } })
    expect(charged()).toMatchObject({ per_call: true, model_ratio: 25 })
    await put({ model: MODEL, price: { input: 1, output: 1 } })
    expect(plane.settings.current().ModelPrice).toEqual({})
    expect(charged()).toMatchObject({ model_ratio: 0.5 })
  })

  test('a price with a later day begins by the clock, and edits of that day win', async () => {
    await put({ model: MODEL, price: { input: 3, output: 12 } })
    const from = new Date(plane.clock.now + 3 * DAY_MS).toISOString().slice(0, 10)
    await put({ model: MODEL, price: { input: 8, output: 16 }, from })
    expect(await row()).toMatchObject({ price: { input: 3 }, planned: [{ from }] })
    plane.clock.now = Date.parse(`${from}T00:00:00Z`) - 1
    expect(charged()).toMatchObject({ model_ratio: 1.5 })
    plane.clock.now += 1
    expect(charged()).toMatchObject({ model_ratio: 4, completion_ratio: 2 })
    const { settings, clock } = plane
    await writeBegunPrices({ settings, now: () => clock.now })
    expect(settings.current().ModelRatio).toMatchObject({ [MODEL]: 4 })
    expect(settings.planned()).toEqual([])
    admin = await plane.addPerson(ROLE.admin)
    await put({ model: MODEL, price: { input: 5, output: 5 } })
    expect(charged()).toMatchObject({ model_ratio: 2.5 })
    expect((await put({ model: MODEL, price: { input: 5, output: 5 }, from })).success).toBe(false)
  })

  test('lists the models of channels, own prices, or all', async () => {
    await plane.addChannel(admin, { models: 'gpt-6-luna' })
    expect((await rows('scope=offered')).map(({ model }) => model)).toEqual(['gpt-6-luna'])
    await put({ model: 'my-model', price: { input: 1, output: 2 } })
    expect((await rows('scope=own')).map(({ model }) => model)).toEqual(['my-model'])
    expect(await row('my-model')).toMatchObject({ layer: 'own', vendor: '', list: null })
    expect((await rows('scope=all')).length).toBe(200)
    await reset('my-model')
    expect(await row('my-model')).toBeUndefined()
  })

  test('lists the models that an enabled channel serves without a price, with their number', async () => {
    const unpricedIn = async (query: string) => {
      const { unpriced_total, unpriced } = await list(query)
      return [unpriced_total, ...unpriced]
    }
    const first = await plane.addChannel(admin, {
      models: 'new-b,new-a,gpt-6-luna,alias,other-alias',
      model_mapping: '{"alias":"gpt-6-luna","other-alias":"new-c"}',
    })
    expect(await unpricedIn('scope=offered')).toEqual([3, 'new-a', 'new-b', 'other-alias'])
    expect(await unpricedIn('scope=offered&keyword=NEW')).toEqual([2, 'new-a', 'new-b'])
    expect(await unpricedIn('scope=all')).toEqual([0])
    await put({ model: 'new-a', price: { input: 1, output: 2 } })
    // One channel has a price for the alias, the other has none.
    await plane.addChannel(admin, { models: 'alias' })
    expect(await unpricedIn('scope=offered')).toEqual([3, 'alias', 'new-b', 'other-alias'])
    await reset('new-a')
    await plane.call('PUT', '/api/channel/', { as: admin, body: { id: first, status: 2 } })
    expect(await unpricedIn('scope=offered')).toEqual([1, 'alias'])
  })

  test('a price has the decimals that it was set with, and more than charges use are refused', async () => {
    await put({ model: MODEL, price: { input: 30, output: 1 } })
    expect(await row()).toMatchObject({ price: { input: 30, output: 1 } })
    await put({ model: MODEL, price: { input: 0.123_456_78, output: 0.000_000_02 } })
    expect(await row()).toMatchObject({ price: { input: 0.123_456_78, output: 0.000_000_02 } })
    const { message } = await put({ model: MODEL, price: { input: 0.123_456_789, output: 1 } })
    expect(message).toContain('must have prices with at most 8 decimals')
  })

  test('an input of 0 with another price is refused', async () => {
    expect((await put({ model: MODEL, price: { input: 0, output: 1 } })).success).toBe(false)
    expect((await put({ model: MODEL, price: { input: 0, output: 0 } })).success).toBe(true)
    expect(await row()).toMatchObject({ price: { input: 0, output: 0 } })
  })
})

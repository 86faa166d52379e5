import { beforeAll, expect, test } from 'vitest'
import { catalogEndpoints, ROLE } from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { setRow } from '../../../testing/worlds/rows.ts'

const HOUR = 3600
const DAY = 24 * HOUR

const GPT_4O = { input: 2.5, output: 10, cached: 1.25 }

describePlanes('the model catalog on %s', ['root'], ({ plane, root }) => {
  let user: Person

  beforeAll(async () => {
    user = await plane.addPerson(ROLE.user, 1_000_000)
    await plane.setOption('GroupRatio', JSON.stringify({ default: 1, vip: 0.5 }))
  })

  const addChannel = (parts: object) => plane.addChannel(root, parts)

  const catalog = async (as: Person) => {
    const { data } = await plane.call('GET', '/api/catalog', { as })
    return catalogEndpoints.listCatalog.parts.data.parse(data)
  }

  const rowOf = async (id: string, as = user) => (await catalog(as)).find((row) => row.id === id)

  const setGroup = ({ id }: Person, group: string) =>
    plane.database.change((tx) => setRow({ database: { kysely: tx } }, 'users', id, { group }))

  test('only models that enabled channels serve to a group of the caller are listed', async () => {
    await addChannel({ name: 'main', models: 'gpt-4o,o3', group: 'default' })
    await addChannel({ name: 'vips', models: 'gpt-4.1', group: 'vip' })
    await addChannel({ name: 'off', models: 'gpt-4.1-mini', group: 'default', status: 2 })
    expect((await catalog(user)).map(({ id }) => id)).toEqual(['gpt-4o', 'o3'])
    await setGroup(user, 'vip,default')
    expect((await catalog(user)).map(({ id }) => id)).toEqual(['gpt-4.1', 'gpt-4o', 'o3'])
    await setGroup(user, 'default')
  })

  test('prices are dollars per million tokens with the ratio of the serving group', async () => {
    await addChannel({ name: 'both', models: 'gpt-4o', group: 'vip' })
    expect(await rowOf('gpt-4o')).toMatchObject({
      vendor: 'OpenAI',
      group: 'default',
      price: { unit: 'token', ...GPT_4O },
    })
    await setGroup(user, 'vip')
    expect(await rowOf('gpt-4o')).toMatchObject({
      group: 'vip',
      price: { unit: 'token', input: 1.25, output: 5, cached: 0.625 },
    })
    await setGroup(user, 'default')
  })

  test('a mapped model has the highest price of its channels', async () => {
    const map = (to: string) => JSON.stringify({ 'house-model': to })
    const parts = { models: 'house-model', group: 'default' }
    await addChannel({ name: 'cheap', ...parts, model_mapping: map('gpt-4o-mini') })
    await addChannel({ name: 'dear', ...parts, model_mapping: map('gpt-4o') })
    expect((await rowOf('house-model'))?.price).toMatchObject(GPT_4O)
  })

  test('pieces are priced by the piece, and a transcript by the minute', async () => {
    const models = 'dall-e-3,whisper-1,rerank-v3.5,text-embedding-3-small'
    await addChannel({ name: 'pieces', models, group: 'default' })
    for (const [model, api, price] of [
      ['dall-e-3', 'images', { unit: 'image', each: 0.04 }],
      ['whisper-1', 'transcriptions', { unit: 'minute', each: 0.006 }],
      ['rerank-v3.5', 'rerank', { unit: 'search', each: 0.002 }],
      ['text-embedding-3-small', 'embeddings', { unit: 'token', input: 0.02 }],
    ] as const) {
      expect(await rowOf(model)).toMatchObject({ api, price })
    }
    expect((await rowOf('dall-e-3'))?.outputs).toEqual(['image'])
    await plane.setOption('ModelPrice', JSON.stringify({ o3: 0.25 }))
    expect((await rowOf('o3'))?.price).toEqual({ unit: 'call', each: 0.25 })
  })

  test('a model without a price and without a default has none', async () => {
    await addChannel({ name: 'odd', models: 'no-such-model', group: 'default' })
    await plane.setOption('DefaultModelRatio', '')
    expect((await rowOf('no-such-model'))?.price).toBeNull()
  })

  test('models that no endpoint serves are left out', async () => {
    await addChannel({ name: 'videos', models: 'sora-2,gpt-5.5-pro', group: 'default' })
    expect(await rowOf('sora-2')).toBeUndefined()
    expect(await rowOf('gpt-5.5-pro')).toMatchObject({ api: 'chat' })
  })

  test('limits, modalities and the shutdown come from the card of the model', async () => {
    expect(await rowOf('gpt-4o')).toMatchObject({
      context_tokens: 128_000,
      output_tokens: 16_384,
      inputs: ['text', 'image', 'pdf'],
      outputs: ['text'],
      shutdown: '2027-01-14',
    })
  })

  test('visitors see the default group, and only while the option is on', async () => {
    const look = async () => {
      const { data } = await plane.call('GET', '/api/catalog/public')
      return catalogEndpoints.listPublicCatalog.parts.data.parse(data).map(({ id }) => id)
    }
    expect(await look()).toEqual([])
    await plane.setOption('PublicCatalogEnabled', 'true')
    const names = await look()
    expect(names).toEqual((await catalog(user)).map(({ id }) => id))
    expect(names).not.toContain('gpt-4.1')
    await plane.setOption('PublicCatalogEnabled', 'false')
    expect(await look()).toEqual([])
  })

  test('success counts the requests of everyone in the last 24 hours', async () => {
    const bob = await plane.addPerson(ROLE.user, 1000)
    const tokenId = await plane.addToken(bob)
    const now = Math.floor(Date.UTC(2026, 10, 27, 12) / 1000)
    const at = async (seconds: number, fails = false) => {
      plane.clock.now = seconds * 1000
      await spend(plane.ledger, { tokenId, at: seconds, by: bob, cost: 1, model: 'gpt-4o', fails })
    }
    await at(now - 2 * DAY, true)
    await at(now - 2 * HOUR)
    await at(now - HOUR)
    await at(now, true)
    const session = await plane.signIn(user.id)
    // The figures are read again after a second at the earliest.
    await expect
      .poll(() => rowOf('gpt-4o', { ...user, session }), { timeout: 10_000 })
      .toMatchObject({ requests: 3, failures: 1, first_token: expect.any(Number) })
  })
})

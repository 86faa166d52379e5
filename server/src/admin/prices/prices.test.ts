import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { errorText, optionEndpoints, priceEndpoints, ROLE } from '@tollgate/contract'
import { portOf } from '../../../testing/harness/port-of.ts'
import {
  idOf,
  idsOf,
  openControlPlane,
  type Person,
} from '../../../testing/worlds/control-plane.ts'
import { describePlane, describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'
import { storedRows } from '../../../testing/worlds/rows.ts'
import { pullDueFeeds } from '../../jobs/pull-price-feeds.ts'
import type { PullDeps } from '../../settings/price-feeds/pull-feed.ts'
import { findFeed } from '../../store/price-feeds.ts'

const DAY_MS = 86_400_000
const FEEDS = '/api/price/feed/'

describeWorlds(openControlPlane, 'price feeds on %s', (plane) => {
  let admin: Person
  let server: Server
  let url: string
  /** What the feed's address returns. */
  let list: string
  let status: number

  beforeAll(async () => {
    server = createServer((_, response) => response.writeHead(status).end(list))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${portOf(server)}/list.json`
  })
  afterAll(() => {
    server.close()
  })
  beforeEach(async () => {
    status = 200
    // Tests advance the clock beyond the end of sessions.
    admin = await plane.addPerson(ROLE.admin)
    list = JSON.stringify(models({ 'gpt-6.2-sol': 3, 'gpt-9': 7 }))
    const feeds = await plane.call('GET', FEEDS, { as: admin })
    for (const id of idsOf(feeds)) await remove(id)
    await plane.database.kysely.deleteFrom('outbox').execute()
  })

  const models = (inputs: Readonly<Record<string, number>>) => {
    const entries = Object.entries(inputs).map(([model, input]) => [
      model,
      { cost: { input, output: input * 5 } },
    ])
    return { openai: { models: Object.fromEntries(entries) } }
  }
  const post = (path: string, body: object) => plane.call('POST', path, { as: admin, body })
  const create = async (fields: object = {}) =>
    idOf(await post('/api/price/feed/', { name: 'models.dev', kind: 'models_dev', url, ...fields }))
  const remove = (id: number) => plane.call('DELETE', `/api/price/feed/${id}`, { as: admin })
  const pull = async (id: number, content = '') =>
    (await post('/api/price/feed/pull', { id, content })).data
  const apply = (id: number, read_at: number, models: string[]) =>
    post('/api/price/feed/apply', { id, read_at, models })
  const changesOf = async (id: number) => {
    const url = `/api/price/feed/${id}/changes?scope=all`
    const { data } = await plane.call('GET', url, { as: admin })
    return priceEndpoints.listPriceChanges.parts.data.parse(data)
  }
  const ratios = async () => {
    const { data } = await plane.call('GET', '/api/option/', { as: admin })
    const options = optionEndpoints.listOptions.parts.data.parse(data)
    const { value = '' } = options.find(({ key }) => key === 'ModelRatio') ?? {}
    return z.record(z.string(), z.number()).parse(JSON.parse(value))
  }
  const deps = () => ({
    database: plane.database,
    settings: plane.settings,
    log: pino({ level: 'silent' }),
    now: () => plane.clock.now,
    fetchJson: async () => ({ status, json: z.json().parse(JSON.parse(list)) }),
  })
  const pullDue = () => pullDueFeeds(deps(), new AbortController().signal)

  test('changes are shown before they apply, and noted in the log', async () => {
    const id = await create()
    expect(await pull(id)).toMatchObject({ models: 2, error: '' })
    const { read_at, changes } = await changesOf(id)
    const dearer = { model: 'gpt-6.2-sol', kind: 'dearer' }
    expect(changes).toMatchObject([
      { ...dearer, before: { input: 2 }, after: { input: 3, cached: 0.15 } },
      { model: 'gpt-9', kind: 'new', before: null, after: { input: 7, output: 35 } },
    ])
    expect((await ratios())['gpt-6.2-sol']).toBe(1)
    const applied = await apply(id, read_at, ['gpt-6.2-sol'])
    expect(applied.data).toBe(1)
    expect(await ratios()).toMatchObject({ 'gpt-6.2-sol': 1.5 })
    expect(await changesOf(id)).toMatchObject({ changes: [{ model: 'gpt-9' }] })
    const notes = await storedRows(plane, 'logs')
    expect(notes.at(-1)?.content).toContain('"models.dev": gpt-6.2-sol')

    list = JSON.stringify(models({ 'gpt-9': 7 }))
    await pull(id)
    const later = await changesOf(id)
    expect(later.changes).toMatchObject([{ kind: 'removed' }, { kind: 'new' }])
    await apply(id, later.read_at, ['gpt-6.2-sol'])
    expect((await ratios())['gpt-6.2-sol']).toBe(1)
  })

  test('changes of a list that was read again since are not applied', async () => {
    const id = await create()
    await pull(id)
    const { read_at } = await changesOf(id)
    plane.clock.now += 2000
    await pull(id)
    const { message } = await apply(id, read_at, ['gpt-9'])
    expect(message).toBe(errorText('feed_changed_again', {}, 'en'))
    expect(await ratios()).not.toHaveProperty('gpt-9')
  })

  test('writing the tables back stores no price of a feed as an own price', async () => {
    const id = await create()
    await pull(id)
    const { read_at } = await changesOf(id)
    await apply(id, read_at, ['gpt-9'])
    const value = JSON.stringify(await ratios())
    await plane.done('PUT', '/api/option/', { as: admin, body: { key: 'ModelRatio', value } })
    expect(plane.settings.current().ModelRatio).toEqual({})
    await remove(id)
    expect(await ratios()).not.toHaveProperty('gpt-9')
  })

  test('the changes of chosen vendors apply by themselves, unless they are large', async () => {
    list = JSON.stringify(models({ 'gpt-6.2-sol': 2.2, 'gpt-6.1-sol': 20 }))
    const id = await create({ auto_vendors: 'OpenAI', alert_percent: 20 })
    await pull(id)
    expect(await ratios()).toMatchObject({ 'gpt-6.2-sol': 1.1, 'gpt-6.1-sol': 1 })
    expect((await changesOf(id)).changes).toMatchObject([{ model: 'gpt-6.1-sol', percent: 900 }])
  })

  test.each([
    ['HTML', 200, '<html>'],
    ['another form', 200, '{"data": []}'],
    ['an error', 503, '{}'],
    ['a list of bad prices', 200, '{"openai":{"models":{"a":{"cost":{"input":-1}}}}}'],
  ])('%s keeps the last list and says so', async (_, nextStatus, next) => {
    const id = await create()
    await pull(id)
    const before = await changesOf(id)
    status = nextStatus
    list = next
    expect(await pull(id)).toMatchObject({ models: 2, error: expect.stringMatching(/./) })
    expect(await changesOf(id)).toEqual(before)
  })

  test('a file is read in place of an address', async () => {
    const id = await create({ url: '', kind: 'tollgate' })
    expect(await post('/api/price/feed/pull', { id })).toMatchObject({ success: false })
    expect(await pull(id, '{"Mine": ')).toMatchObject({
      error: expect.stringMatching(/no price list/),
    })
    const models = { 'my-model': { input: 1, output: 2 }, bad: { input: -1, output: 1 } }
    const read = await pull(id, JSON.stringify({ Mine: { models } }))
    expect(read).toMatchObject({ models: 1, problems: 1, error: '' })
  })

  test('feeds are read when their time has come; an old list alerts once', async () => {
    const id = await create({ every_hours: 24, stale_days: 3 })
    await pullDue()
    const readAt = async () => (await findFeed(plane.database.kysely, id))?.read_at
    const first = await readAt()
    plane.clock.now += DAY_MS - 1000
    await pullDue()
    expect(await readAt()).toBe(first)
    plane.clock.now += 1000
    await pullDue()
    expect(await readAt()).toBe(Number(first) + DAY_MS / 1000)
    status = 500
    const end = plane.clock.now + 4 * DAY_MS
    for (; plane.clock.now <= end; plane.clock.now += DAY_MS) await pullDue()
    expect(await outboxOf(plane)).toMatchObject([
      {
        type: 'price-alert',
        event: 'feed_failed',
        detail: expect.stringMatching(
          /^The last usable list was read on [-\d]+\. Reason: the server answered HTTP 500\.$/,
        ),
        detail_zh: expect.stringContaining('原因：对方返回 HTTP 500。'),
      },
    ])
  })

  test('one of two nodes reads a feed, and the other ten minutes later if that node dies', async () => {
    const id = await create({ every_hours: 24 })
    const round = (fetchJson: PullDeps['fetchJson']) =>
      pullDueFeeds({ ...deps(), fetchJson }, new AbortController().signal)
    const [dying, living] = [vi.fn(() => new Promise<never>(() => {})), vi.fn(deps().fetchJson)]
    void round(dying)
    await vi.waitFor(() => expect(dying).toHaveBeenCalledOnce())
    await round(living)
    expect(living).not.toHaveBeenCalled()
    plane.clock.now += 10 * 60_000
    await Promise.all([round(living), round(living)])
    expect(living).toHaveBeenCalledOnce()
    expect(await findFeed(plane.database.kysely, id)).toMatchObject({ models: 2, error: '' })
  })

  test('a list that lost many prices is taken by hand only', async () => {
    const id = await create({ every_hours: 24 })
    await pull(id)
    list = JSON.stringify(models({ 'gpt-9': 7 }))
    plane.clock.now += DAY_MS
    await pullDue()
    const feed = await findFeed(plane.database.kysely, id)
    expect(feed).toMatchObject({ models: 2, error: expect.stringContaining('1 prices and had 2') })
    admin = await plane.addPerson(ROLE.admin)
    expect(await pull(id)).toMatchObject({ models: 1, error: '' })
  })

  test('names are unique, and another address drops the list', async () => {
    const id = await create()
    await pull(id)
    const twice = await post('/api/price/feed/', { name: 'models.dev', kind: 'litellm', url })
    expect(twice.message).toBe(errorText('feed_name_taken', {}, 'en'))
    const edit = (body: object) => plane.call('PUT', '/api/price/feed/', { as: admin, body })
    const edited = { id, name: 'models.dev', kind: 'models_dev', url }
    expect((await edit({ ...edited, every_hours: 1 })).data).toMatchObject({ models: 2 })
    expect((await edit({ ...edited, url: `${url}?2` })).data).toMatchObject({ models: 0 })
    const missing = await edit({ ...edited, id: 999_999 })
    expect(missing.message).toBe(errorText('feed_not_found', {}, 'en'))
  })
})

describePlane('price feeds', ['admin'], ({ plane, admin }) => {
  const send = (method: 'POST' | 'PUT', path: string, body: object) =>
    plane.call(method, path, { as: admin, body })

  test('at an address in a private network are not read where the option forbids that', async () => {
    const feed = { name: 'inside', kind: 'litellm', url: 'http://10.0.0.1/list.json' }
    const id = idOf(await send('POST', FEEDS, feed))
    await plane.setOption('ChannelPrivateNetworksEnabled', 'false')
    const { data } = await send('POST', `${FEEDS}pull`, { id })
    expect(data).toMatchObject({ error: expect.stringMatching(/private network/) })
  })

  test('leave models without a price, which are listed until they have one', async () => {
    const row = { model: 'new-model', first_at: 1, last_at: 2, charged: 3, rejected: 4 }
    await plane.database.change((tx) => tx.insertInto('unpriced_models').values(row).execute())
    const unpriced = async () =>
      (await plane.call('GET', '/api/price/unpriced', { as: admin })).data
    expect(await unpriced()).toEqual([row])
    await send('PUT', '/api/option/', { key: 'ModelRatio', value: '{"new-model": 1}' })
    expect(await unpriced()).toEqual([])
  })
})

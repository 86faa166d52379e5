import { expect, test } from 'vitest'
import { CHANNEL_STATUS, KEY_REFUSED } from '@tollgate/contract'
import { catalogue } from '@tollgate/relay/catalogue'
import {
  answerChat,
  answerError,
  type Behaviour,
} from '../../../testing/fakes/scripted-upstream.ts'
import { openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import { channelForm, idsOf, rowsOf } from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { setRow, storedRows } from '../../../testing/worlds/rows.ts'

const KEY = 'sk-secret-of-the-upstream'

describeWorlds(openChannelWorld, 'channels on %s', (world) => {
  const get = (path: string) => world.call('GET', path)

  const create = (form: object = {}) =>
    world.call('POST', '/api/channel/', { body: { ...channelForm, key: KEY, ...form } })

  const createOne = (form: object = {}) =>
    world.plane.addChannel(world.admin, { key: KEY, ...form })

  const save = (body: object) => world.call('PUT', '/api/channel/', { body })

  const remove = (id: number) => world.call('DELETE', `/api/channel/${id}/`)

  const search = async (keyword: string) =>
    idsOf(await get(`/api/channel/search?keyword=${encodeURIComponent(keyword)}`))

  const rowOf = (id: number) => world.rowOf(id)

  const keyOf = async (id: number) =>
    world.plane.secrets.openChannelKey((await rowOf(id)).key_sealed)

  const abilitiesOf = async (channel_id: number) => {
    const rows = await storedRows(world.plane, 'abilities', { channel_id })
    return rows.map(({ group, model }) => `${group} ${model}`).toSorted()
  }

  const allRows = async () => [
    await storedRows(world.plane, 'channels'),
    await storedRows(world.plane, 'abilities'),
  ]

  test('each line of the key becomes a channel; keys are stored encrypted and never returned', async () => {
    const answer = await create({ key: `${KEY}-1\r\n\n  ${KEY}-2  \r\n` })
    expect(answer.data).toMatchObject([
      { key: '', status: 1, models: 'gpt-4o,gpt-4o-mini', group: 'default', base_url: '' },
      { key: '', status: 1 },
    ])
    expect(answer.text).not.toContain(KEY)
    const row = await rowOf(idsOf(answer)[0] ?? 0)
    expect(JSON.stringify(row)).not.toContain(KEY)
    expect(await keyOf(row.id)).toBe(`${KEY}-1`)
    for (const path of [`${row.id}`, '', `search?keyword=${row.id}`]) {
      const { text } = await get(`/api/channel/${path}`)
      expect(text).toContain(`"id":${row.id},`)
      expect(text).not.toContain(KEY)
      expect(text).not.toContain(row.key_sealed)
    }
  })

  test('abilities are every group times every model, each once', async () => {
    const id = await createOne({ models: ' b,a ,b,,', group: 'vip, default,vip' })
    expect(await abilitiesOf(id)).toEqual(['default a', 'default b', 'vip a', 'vip b'])
    expect(await rowOf(id)).toMatchObject({ models: 'b,a', group: 'vip,default' })
    await save({ id, models: 'c' })
    expect(await abilitiesOf(id)).toEqual(['default c', 'vip c'])
    await save({ id, group: 'svip' })
    expect(await abilitiesOf(id)).toEqual(['svip c'])
    await save({ id, name: 'other' })
    expect(await abilitiesOf(id)).toEqual(['svip c'])
  })

  test('a tag is kept by other edits, and removed by an empty one', async () => {
    const id = await createOne({ tag: ' spare ' })
    expect((await rowOf(id)).tag).toBe('spare')
    await save({ id, priority: 3, tag: null })
    expect((await rowOf(id)).tag).toBe('spare')
    await save({ id, tag: 'new' })
    expect((await rowOf(id)).tag).toBe('new')
    await save({ id, tag: '' })
    expect((await rowOf(id)).tag).toBe('')
    expect((await rowOf(await createOne({ tag: null }))).tag).toBe('')
  })

  test('an edit changes the named fields; an empty key keeps the old one', async () => {
    const id = await createOne({ priority: 5, weight: 3, base_url: 'https://a.example' })
    const before = await rowOf(id)
    await save({ id, key: ' ', name: 'renamed', used_quota: 99, created_time: 1, balance: 5 })
    expect(await rowOf(id)).toEqual({ ...before, name: 'renamed' })
    const texts = { base_url: '', model_mapping: '', other: '', config: '' }
    const cleared = { priority: 0, weight: 0, ...texts }
    await save({ id, ...cleared, key: KEY })
    expect(await rowOf(id)).toMatchObject(cleared)
    const answer = await save({ id, key: 'sk-new' })
    expect(answer.text).not.toContain('sk-new')
    expect(await keyOf(id)).toBe('sk-new')
  })

  test('enabling clears the reason of the disabling; sending the row back does not', async () => {
    const id = await createOne()
    const off = { status: CHANNEL_STATUS.autoDisabled, status_reason: 'the key was refused' }
    await setRow(world.plane, 'channels', id, off)
    expect((await save({ id, status: 3, name: 'same' })).data).toMatchObject(off)
    const answer = await save({ id, status: 1 })
    expect(answer.data).toMatchObject({ status: 1, status_reason: '' })
    expect((await save({ id, status: 2 })).data).toMatchObject({ status: 2 })
    for (const status of [-1, 4, '1']) expect((await save({ id, status })).success).toBe(false)
  })

  test('lists and searches filter by several statuses and types at once', async () => {
    const base_url = 'https://a.example'
    const sick = await createOne({ name: 'narrow sick', type: 8, base_url })
    const off = await createOne({ name: 'narrow off', type: 20 })
    const on = await createOne({ name: 'narrow on', type: 20 })
    await setRow(world.plane, 'channels', sick, { status: CHANNEL_STATUS.autoDisabled })
    await save({ id: off, status: 2 })
    const found = async (filter: string) =>
      idsOf(await get(`/api/channel/search?keyword=narrow&${filter}`))
    expect(await found('')).toEqual([on, off, sick])
    expect(await found('status=2,3')).toEqual([off, sick])
    expect(await found('status=2,3&type=20')).toEqual([off])
    expect(await found('type=8,20&status=1')).toEqual([on])
    const listed = await get('/api/channel/?type=20&status=2&size=100')
    expect(idsOf(listed)).toEqual([off])
    expect(listed.headers['x-total-count']).toBe('1')
    for (const filter of ['status=x', 'type=1,', 'type=-1']) {
      expect((await get(`/api/channel/?${filter}`)).success).toBe(false)
    }
  })

  test('a channel shows since when it has its status', async () => {
    const id = await createOne()
    const created = (await rowOf(id)).created_time
    expect((await rowOf(id)).status_time).toBe(created)
    world.plane.clock.now += 5000
    await save({ id, status: 1, name: 'same' })
    expect((await rowOf(id)).status_time).toBe(created)
    expect((await save({ id, status: 2 })).data).toMatchObject({ status_time: created + 5 })
  })

  test('every change is announced, so that gateways apply it immediately', async () => {
    let changes = 0
    world.plane.database.onChange(() => changes++)
    const announced = async (change: () => Promise<unknown>) => {
      changes = 0
      await change()
      expect(changes).toBeGreaterThan(0)
    }
    let id = 0
    await announced(async () => (id = await createOne()))
    await announced(() => save({ id, status: 2 }))
    await announced(() => remove(id))
  })

  test.each([
    ['no name', { name: ' ' }, /name/],
    ['no key', { key: ' \r\n ' }, /key/],
    ['no models', { models: ' ' }, /at least one model/],
    ['models that are only commas', { models: ',,' }, /models/],
    [
      'too many models',
      { models: Array.from({ length: 1001 }, (_, i) => `m${i}`).join() },
      /models/,
    ],
    ['too many keys', { key: Array.from({ length: 501 }, (_, i) => `k${i}`).join('\n') }, /key/],
    ['groups that are only commas', { group: ',' }, /group/],
    ['an unknown type', { type: 999 }, /999/],
    ['no type', { type: 'x' }, /type/],
    ['a type without an address', { type: 8 }, /base_url/],
    ['an address of another scheme', { base_url: 'ftp://x' }, /http/],
    ['an address that is none', { base_url: 'https://' }, /http/],
    ['a mapping that is no JSON', { model_mapping: '{a' }, /JSON/],
    ['a mapping to numbers', { model_mapping: '{"a":1}' }, /JSON/],
    ['a configuration that is no JSON', { config: '{a' }, /"config".*JSON/],
    ['a configuration that is a list', { config: '[1]' }, /"config".*JSON/],
    ['a key with a space', { key: 'sk-1\nsk 2' }, /Line 2/],
    ['a key with a character of no key', { key: 'sk\u200b-1' }, /Line 1/],
    ['a flag that is none', { multi_key: 'yes' }, /multi_key/],
    ['a priority out of range', { priority: 1e9 }, /priority/],
    ['a priority that is none', { priority: Number.NaN }, null],
  ])('refuses %s and changes nothing', async (_, form, message) => {
    const before = await allRows()
    const answer = await create(form)
    // JSON has no NaN: NaN arrives as null, which older clients send for "not given".
    if (message === null) return expect(answer.data).toMatchObject([{ priority: 0 }])
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(message)
    expect(await allRows()).toEqual(before)
  })

  test.each(['', ' ', '\t\n', 'null', '""'])(
    'a configuration and a mapping of "%s" count as empty',
    async (text) => {
      const created = await create({ config: text, model_mapping: text })
      expect(created.data).toMatchObject([{ config: '', model_mapping: '' }])
      const [id = 0] = idsOf(created)
      const edited = await save({ id, config: text, model_mapping: text })
      expect(edited.data).toMatchObject({ config: '', model_mapping: '' })
    },
  )

  test('an edit cannot make a channel that could not be created', async () => {
    const id = await createOne()
    const before = await allRows()
    for (const edit of [{ type: 8 }, { type: 999 }, { models: ',' }, { group: ',' }]) {
      expect((await save({ id, ...edit })).success, JSON.stringify(edit)).toBe(false)
    }
    expect(await allRows()).toEqual(before)
  })

  test('a negative weight counts as 0, a trailing slash of the address is removed', async () => {
    const id = await createOne({ weight: -5, base_url: 'https://a.example/v1//' })
    expect(await rowOf(id)).toMatchObject({ weight: 0, base_url: 'https://a.example/v1' })
  })

  test('deleting removes the abilities; an unknown id is reported', async () => {
    const id = await createOne()
    expect((await remove(id)).success).toBe(true)
    expect(await abilitiesOf(id)).toEqual([])
    expect((await save({ id, status: 1 })).message).toBe('There is no such channel.')
  })

  test('a search finds by id and by a part of the name', async () => {
    const id = await createOne({ name: '50%_off' })
    expect(await search('50%_')).toEqual([id])
    expect(await search(String(id))).toContain(id)
    expect(await search('%5')).toEqual([])
  })

  test('a search finds by the address, unless the address has a secret', async () => {
    const id = await createOne({ base_url: 'https://Relay.example/eu' })
    await createOne({ base_url: 'https://ann:planted@relay.example/eu' })
    await createOne({ base_url: 'https://relay.example/eu?key=planted' })
    expect(await search('relay.example')).toEqual([id])
    expect(await search('planted')).toEqual([])
  })

  test('the catalogue is listed by type, as models, and once each', async () => {
    const byType = await get('/api/models')
    expect(Object.keys(byType.data ?? {})).toHaveLength(catalogue.length)
    const models = await get('/api/channel/models')
    expect(models['object']).toBe('list')
    const ids = rowsOf(models).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toContain('gpt-4o')
  })

  test('models that their vendors end are listed with the day', async () => {
    const { data } = await get('/api/models/shutdowns')
    expect(data).toMatchObject({ 'gpt-4': '2026-10-23', 'gpt-image-1.5': '2026-12-01' })
    expect(data).not.toHaveProperty('gpt-6.2-sol')
  })

  /** A channel whose provider always answers so. */
  const createAt = (answer: Behaviour, form: object = {}) => {
    world.provider.script('a', answer)
    return createOne({ base_url: world.provider.baseUrl('a'), ...form })
  }

  test('a passed test returns the reply and the time in seconds, and stores the time', async () => {
    const id = await createAt(answerChat('hi'))
    const answer = await get(`/api/channel/test/${id}/`)
    expect(answer).toMatchObject({ success: true, message: 'hi', time: answer.data })
    expect(answer).toMatchObject({ model: 'gpt-4o', modelName: 'gpt-4o' })
    expect(world.provider.requestsOf('a')).toMatchObject([
      { path: '/v1/chat/completions', headers: { authorization: `Bearer ${KEY}` } },
    ])
    expect((await rowOf(id)).test_time).toBe(Math.floor(world.plane.clock.now / 1000))
    expect(await storedRows(world.plane, 'logs')).toEqual([])
  })

  test('a test with a model the channel does not have uses its first', async () => {
    const id = await createAt(answerChat(), { models: 'gpt-4o,gpt-4' })
    for (const [wanted, asked] of [
      ['gpt-3.5-turbo', 'gpt-4o'],
      ['gpt', 'gpt-4o'],
      ['gpt-4', 'gpt-4'],
    ]) {
      const answer = await get(`/api/channel/test/${id}?model=${wanted}`)
      expect(answer).toMatchObject({ success: true, model: asked, modelName: wanted })
    }
  })

  test('a failed test returns the reason without the key, and a time of 0', async () => {
    const id = await createAt(answerError(401, { message: `Incorrect API key: ${KEY}` }))
    const answer = await get(`/api/channel/test/${id}?model=gpt-4o`)
    const asked = { time: 0, model: 'gpt-4o', modelName: 'gpt-4o' }
    expect(answer).toMatchObject({ status: 200, success: false, code: KEY_REFUSED, ...asked })
    expect(answer.message).toBe('The test failed: Incorrect API key: [key]')
    expect(answer.text).not.toContain(KEY)
    expect(await rowOf(id)).toMatchObject({ status: 1, response_time: 0 })
    expect((await rowOf(id)).test_time).toBeGreaterThan(0)
  })

  test('an edit that meets the deletion of its channel leaves nothing behind', async () => {
    const models = (name: string) => Array.from({ length: 300 }, (_, index) => `${name}-${index}`)
    for (let round = 0; round < 5; round++) {
      const id = await createOne({ models: models('old').join(',') })
      const edits = ['a', 'b', 'c'].map((name) => save({ id, models: models(name).join(',') }))
      const deletion = remove(id)
      await Promise.all(edits)
      expect((await deletion).success).toBe(true)
      expect(await abilitiesOf(id)).toEqual([])
    }
  })
})

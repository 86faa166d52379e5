import { expect, test } from 'vitest'
import { channelForm, idsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'
import { readChannel } from '../../../testing/worlds/rows.ts'

describePlane('the keys of a channel', ['admin'], ({ plane, admin }) => {
  const create = (form: object) =>
    plane.call('POST', '/api/channel/', { as: admin, body: { ...channelForm, ...form } })

  const createOne = async (form: object = {}) => idsOf(await create(form))[0] ?? 0

  const save = (body: object, language = 'en') =>
    plane.call('PUT', '/api/channel/', {
      as: admin,
      body,
      headers: { 'accept-language': language },
    })

  const rowOf = (id: number) => readChannel(plane, id)

  const keyOf = async (id: number) => plane.secrets.openChannelKey((await rowOf(id)).key_sealed)

  test('multi_key keeps all lines in one channel, each once', async () => {
    const answer = await create({ key: ' sk-1\r\n\nsk-2\nsk-1\n', multi_key: true })
    expect(idsOf(answer)).toHaveLength(1)
    expect(answer.text).not.toContain('sk-1')
    expect(await keyOf(idsOf(answer)[0] ?? 0)).toBe('sk-1\nsk-2')
  })

  test('without it each line becomes a channel, each once', async () => {
    const ids = idsOf(await create({ key: 'sk-1\nsk-2\nsk-1' }))
    expect(await Promise.all(ids.map(keyOf))).toEqual(['sk-1', 'sk-2'])
  })

  test('an edit with several lines keeps them in one channel and returns none', async () => {
    const id = await createOne()
    const answer = await save({ id, key: 'sk-new-1\n sk-new-2 \r\n' })
    expect([answer.success, answer.text.includes('sk-new')]).toEqual([true, false])
    expect(await keyOf(id)).toBe('sk-new-1\nsk-new-2')
    await save({ id, key: '\n', name: 'renamed' })
    expect(await keyOf(id)).toBe('sk-new-1\nsk-new-2')
  })

  test('an invalid line is named in both languages, and nothing is stored', async () => {
    const id = await createOne()
    const before = await rowOf(id)
    const edit = { id, name: 'x', key: 'sk-1\n\nsk 2' }
    expect((await save(edit)).message).toMatch(/^Line 3 of the field "key"/)
    expect((await save(edit, 'zh')).message).toMatch(/“key”第 3 行/)
    const many = Array.from({ length: 501 }, (_, index) => `sk-${index}`).join('\n')
    expect((await save({ id, name: 'x', key: many })).message).toMatch(/"key".*500/)
    expect((await save({ id, name: 'x', key: 'k'.repeat(100_001) })).message).toMatch(/key/)
    expect(await rowOf(id)).toEqual(before)
  })

  const elsewhere: [string, object, object][] = [
    ['another host', { base_url: 'https://a.example/v1' }, { base_url: 'https://b.example/v1' }],
    ['another port', { base_url: 'https://a.example' }, { base_url: 'https://a.example:8443' }],
    ['no encryption', { base_url: 'https://a.example' }, { base_url: 'http://a.example' }],
    ['away from the provider', {}, { base_url: 'https://a.example' }],
    ['to the provider', { base_url: 'https://a.example' }, { base_url: '' }],
    ['to another provider', {}, { type: 29 }],
    ['a name before @', {}, { base_url: 'https://api.openai.com@a.example' }],
    [
      'a proxy that can read it',
      { base_url: 'http://a.example' },
      { config: JSON.stringify({ proxy: 'http://b.example:1' }) },
    ],
  ]
  test.each([
    [18, 'app|secret|key', ['app|secret', 'app|secret|key|more', 'sk-1'], 'APPID|APISecret|APIKey'],
    [15, 'key|secret', ['key|secret|more', '|secret'], 'APIKey|SecretKey'],
    [23, 'app|id|key', ['id|key', 'app||key'], 'AppId|SecretId|SecretKey'],
  ])(
    'a key that type %i cannot use is refused with the required form',
    async (type, good, bad, form) => {
      for (const key of bad) {
        const refused = await create({ type, key: `${good}\n${key}` })
        expect(refused.message).toMatch(/^Line 2 of the field "key"/)
        expect(refused.message).toContain(form)
      }
      const id = await createOne({ type, key: good })
      expect((await save({ id, key: bad[0] }, 'zh')).message).toContain(form)
      expect(await keyOf(id)).toBe(good)
    },
  )

  test('tokens and newer keys of these types have one part', async () => {
    expect((await create({ type: 15, key: 'bce-v3/ALTAK-1/2' })).success).toBe(true)
    expect((await create({ type: 15, key: '24.abc.1' })).success).toBe(true)
    expect((await create({ type: 23, key: 'sk-1' })).success).toBe(true)
  })

  test.each(elsewhere)('a stored key is not sent to %s', async (_, form, edit) => {
    const id = await createOne({ ...form, key: 'sk-of-root' })
    const before = await rowOf(id)
    expect((await save({ id, ...edit })).message).toMatch(/Enter the key again/)
    expect((await save({ id, ...edit, key: ' ' }, 'zh')).message).toMatch(/请重新填写密钥/)
    expect(await rowOf(id)).toEqual(before)
    expect((await save({ id, ...edit, key: 'sk-mine' })).success).toBe(true)
    expect(await rowOf(id)).toMatchObject(edit)
    expect(await keyOf(id)).toBe('sk-mine')
  })

  test('an unchanged row, or another path of the same server, needs no key', async () => {
    const id = await createOne({ base_url: 'https://a.example/v1' })
    const row = await plane.call('GET', `/api/channel/${id}`, { as: admin })
    expect((await save({ ...Object(row.data), name: 'renamed' })).success).toBe(true)
    const moved = { base_url: 'https://a.example:443/other', type: 29 }
    expect((await save({ id, ...moved })).success).toBe(true)
    expect(await rowOf(id)).toMatchObject({ name: 'renamed', ...moved })
  })

  test('a configuration is empty or a JSON object', async () => {
    const id = await createOne()
    expect((await save({ id, config: '{"region":"x"}' })).success).toBe(true)
    expect((await save({ id, config: '"x"' }, 'zh')).message).toMatch(/必须是 JSON 对象/)
    expect((await rowOf(id)).config).toBe('{"region":"x"}')
    expect((await save({ id, config: '' })).success).toBe(true)
  })
})

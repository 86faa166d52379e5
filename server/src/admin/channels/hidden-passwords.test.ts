import { expect, test } from 'vitest'
import { errorText } from '@tollgate/contract'
import { channelForm, idsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'
import { readChannel } from '../../../testing/worlds/rows.ts'
import { hidePasswords, restorePasswords } from './hidden-passwords.ts'

const hidden = (base_url: string) => hidePasswords({ base_url, config: '' }).base_url

test.each([
  ['https://ann:secret@a.example/v1', 'https://ann:***@a.example/v1'],
  ['http://:secret@a.example', 'http://:***@a.example'],
  ['https://ann:se:cr@et@a.example:8443', 'https://ann:***@a.example:8443'],
  ['http://ann@firm.example:secret@a.example', 'http://ann@firm.example:***@a.example'],
  ['https://token@a.example:8443', 'https://***@a.example:8443'],
  ['https://token:@a.example', 'https://***:@a.example'],
  [
    'https://a.example/v1?key=se=cr&et&key=x&none=',
    'https://a.example/v1?key=***&***&key=***&none=',
  ],
  ['https://token@a.example?key=secret', 'https://***@a.example?key=***'],
  ['https://a.example?key=a@b', 'https://a.example?key=***'],
  ['https://a.example/users/x:y@z', 'https://a.example/users/x:y@z'],
  ['http://ann:se***cr@a.example?key=***x', 'http://ann:***@a.example?key=***'],
  ['https://a.example:8443', 'https://a.example:8443'],
  ['', ''],
])('%s is shown as %s', (address, shown) => {
  expect(hidden(address)).toBe(shown)
  const stored = { base_url: address, config: '' }
  expect(restorePasswords({ base_url: shown, config: '' }, stored)).toEqual(stored)
  expect(restorePasswords(stored, stored)).toEqual(stored)
})

describePlane('passwords in addresses of a channel', ['admin'], ({ plane, admin }) => {
  const base_url = 'https://ann:planted-1@a.example'
  const config = '{ "region": "eu", "proxy": "socks5://bob:planted-2$&@b.example:1080" }'

  const create = (form: object) =>
    plane.call('POST', '/api/channel/', { as: admin, body: { ...channelForm, ...form } })

  const addOne = (form: object = { base_url, config }) => plane.addChannel(admin, form)

  const save = (body: object) => plane.call('PUT', '/api/channel/', { as: admin, body })

  const fetchModels = (body: object) =>
    plane.call('POST', '/api/channel/fetch_models', { as: admin, body })

  const storedAddresses = async (id: number) => {
    const { base_url, config } = await readChannel(plane, id)
    return { base_url, config }
  }

  test('are not in any answer', async () => {
    const created = await create({ base_url, config })
    const [id = 0] = idsOf(created)
    const answers = [created, await save({ id, name: 'renamed' })]
    for (const path of ['/api/channel/', '/api/channel/search?keyword=', `/api/channel/${id}`]) {
      answers.push(await plane.call('GET', path, { as: admin }))
    }
    for (const { success, text } of answers) {
      expect(success).toBe(true)
      expect(text).toContain('ann:***@a.example')
      expect(text).toContain('bob:***@b.example:1080')
      expect(text).not.toContain('planted')
    }
  })

  test('are kept when the shown value is sent back, also with another path or setting', async () => {
    const id = await addOne()
    const { data: row } = await plane.call('GET', `/api/channel/${id}`, { as: admin })
    expect((await save(row as object)).success).toBe(true) // Safe because the row is an object.
    const stored = await storedAddresses(id)
    expect(stored).toEqual({ base_url, config })
    const address = 'https://ann:***@a.example/v1'
    const proxy = '{"proxy":"socks5://bob:***@b.example:1080","other":1}'
    expect((await save({ id, base_url: address, config: proxy })).success).toBe(true)
    const changed = await storedAddresses(id)
    expect(changed.base_url).toBe('https://ann:planted-1@a.example/v1')
    expect(JSON.parse(changed.config)).toEqual({
      proxy: 'socks5://bob:planted-2$&@b.example:1080',
      other: 1,
    })
  })

  test('are not sent through a new proxy, whatever key comes with it', async () => {
    const plain = 'http://a.example/v1?code=planted-5'
    const id = await addOne({ base_url: plain, config: '' })
    const shown = 'http://a.example/v1?code=***'
    const form = { base_url: shown, config: '{"proxy":"http://mine:8080"}' }
    const saved = await save({ id, key: 'sk-another', ...form })
    const fetched = await fetchModels({ id, type: 8, key: 'sk-another', ...form })
    const { config } = form
    const unsent = await save({ id, key: 'sk-another', config })
    for (const { success, message } of [saved, fetched, unsent]) {
      expect(success).toBe(false)
      expect(message).toMatch(/"base_url".*password again/)
    }
    expect(await storedAddresses(id)).toEqual({ base_url: plain, config: '' })
  })

  test('include a token in place of a user name, and query parameters', async () => {
    const given = {
      base_url: 'https://a.example/v1?code=planted-3&version=7',
      config: '{"proxy":"http://planted-4@b.example:8080"}',
    }
    const created = await create(given)
    const [id = 0] = idsOf(created)
    const shown = await plane.call('GET', `/api/channel/${id}`, { as: admin })
    for (const { text } of [created, shown]) {
      expect(text).toContain('https://a.example/v1?code=***&version=***')
      expect(text).toContain('http://***@b.example:8080')
      expect(text).not.toContain('planted')
    }
    // Safe because the row is an object.
    expect((await save({ id, ...(shown.data as object) })).success).toBe(true)
    expect(await storedAddresses(id)).toEqual(given)
    const base_url = 'https://a.example/v2?version=8&code=***'
    expect((await save({ id, base_url })).success).toBe(true)
    const moved = 'https://a.example/v2?version=8&code=planted-3'
    expect((await storedAddresses(id)).base_url).toBe(moved)
    for (const other of ['https://evil.example?code=***', 'https://a.example?other=***']) {
      const answer = await save({ id, key: 'sk-new', base_url: other })
      expect([answer.success, answer.message]).toEqual([false, expect.stringContaining('base_url')])
    }
  })

  test.each([
    ['base_url', { base_url: 'https://ann:***@evil.example' }],
    ['base_url', { base_url: 'https://eve:***@a.example' }],
    ['config.proxy', { config: '{"proxy":"socks5://bob:***@evil.example:1080"}' }],
    ['config.proxy', { config: '{"proxy":"http://bob:***@b.example:1080"}' }],
  ])('are not sent to another host: %s %o', async (field, edit) => {
    const id = await addOne()
    const answer = await save({ id, key: 'sk-new', ...edit })
    expect([answer.success, answer.message]).toEqual([false, expect.stringContaining(field)])
    expect(await storedAddresses(id)).toEqual({ base_url, config })
  })

  test.each([
    ['base_url', { base_url: 'https://ann:***new@a.example' }],
    ['base_url', { base_url: 'https://***:new@a.example' }],
    ['base_url', { base_url: 'https://a.example?key=***x' }],
    ['base_url', { base_url: 'https://a.example?a=1&***=x' }],
    ['base_url', { base_url: 'https://ann:***@a.example?key=x***' }],
    ['config.proxy', { config: '{"proxy":"socks5://bob:new***@b.example:1080"}' }],
  ])('are not lost if text was added next to ***: %s %o', async (field, edit) => {
    const id = await addOne()
    const form = { type: 1, key: 'sk-new', base_url, ...edit }
    const answers = [
      await save({ id, ...form }),
      await create(edit),
      await fetchModels({ id, ...form }),
      await fetchModels(form),
    ]
    const message = errorText('password_half_hidden', { field }, 'en')
    for (const answer of answers) expect(answer).toMatchObject({ success: false, message })
    expect(await storedAddresses(id)).toEqual({ base_url, config })
  })

  test('are required where a copy of the shown value would be stored or used', async () => {
    const copy = { base_url: 'https://ann:***@a.example' }
    expect((await create(copy)).message).toMatch(/"base_url" has \*\*\*/)
    const proxied = { config: '{"proxy":"socks5://bob:***@b.example:1080"}' }
    expect((await create(proxied)).message).toMatch(/"config.proxy" has \*\*\*/)
    const fetched = await fetchModels({ type: 1, key: 'sk-x', ...copy })
    expect(fetched.message).toMatch(/"base_url" has \*\*\*/)
  })
})

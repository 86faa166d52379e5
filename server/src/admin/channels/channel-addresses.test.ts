import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import { leadsInTurn, leadsTo } from '../../../testing/fakes/dns-lookups.ts'
import { startHttpProxy } from '../../../testing/fakes/proxies.ts'
import { answerChat, answerJson } from '../../../testing/fakes/scripted-upstream.ts'
import { type ChannelWorld, openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import { channelForm } from '../../../testing/worlds/control-plane.ts'

const CLOSEAI = 4
const CUSTOM = 8
const OLLAMA = 30

const GUARDED = /must not lead to a link-local, cloud metadata or unspecified address/
const PRIVATE = /must not lead to a private network while ChannelPrivateNetworksEnabled is off/

describe('the addresses of a channel', () => {
  let world: ChannelWorld

  let shared: ChannelWorld

  beforeAll(async () => {
    shared = await openChannelWorld('sqlite')
  })
  beforeEach(() => (world = shared))
  afterEach(async () => {
    if (world !== shared) await world.close()
    await shared.plane.setOption('ChannelPrivateNetworksEnabled', 'true')
  })
  afterAll(() => shared.close())

  /** Opens a world for one test, with its own lookups or allowed networks. */
  const openOwn = async (given: Parameters<typeof openChannelWorld>[1]) => {
    world = await openChannelWorld('sqlite', given)
  }

  const create = (form: object) =>
    world.call('POST', '/api/channel/', { body: { ...channelForm, ...form } })
  const save = (body: object) => world.call('PUT', '/api/channel/', { body })
  const fetchModels = (body: object) =>
    world.call('POST', '/api/channel/fetch_models', { body: { type: 1, key: 'sk-x', ...body } })
  const testOne = (id: number, language = 'en') =>
    world.call('GET', `/api/channel/test/${id}`, { language })
  const balanceOf = (id: number) => world.call('GET', `/api/channel/update_balance/${id}`)

  /** Stores a row as an earlier version or other options allowed it. */
  const store = (id: number, columns: { base_url?: string; config?: string; type?: number }) =>
    world.plane.database.kysely.updateTable('channels').set(columns).where('id', '=', id).execute()

  /** Creating, editing and listing models must all reject the form for the same reason. */
  async function expectRefused(form: object, field: string, reason: RegExp) {
    const id = await world.addChannel('a', {}, answerChat())
    const before = await world.rowOf(id)
    const answers = [
      await create(form),
      await save({ id, key: 'sk-new', ...form }),
      await fetchModels(form),
    ]
    for (const { success, message = '' } of answers) {
      expect(success, JSON.stringify(form)).toBe(false)
      expect(message).toContain(`"${field}"`)
      expect(message).toMatch(reason)
    }
    expect(await world.rowOf(id)).toEqual(before)
  }

  test.each([
    ['http://a.example/v1#', /must have no "#"/],
    ['http://a.example/v1?x=#', /must have no "#"/],
    [String.raw`http://a.example/v1\x`, /no spaces, control characters or backslashes/],
    ['http://a.example/a b', /no spaces, control characters or backslashes/],
    ['http://169.254.169.254', GUARDED],
    ['http://2852039166/v1', GUARDED],
    ['http://[::ffff:a9fe:a9fe]:80', GUARDED],
    ['http://①⑥⑨.254.169.254', GUARDED],
    ['http://%31%36%39.254.169.254', GUARDED],
    ['http://ann:secret@169.254.169.254', GUARDED],
    ['http://metadata.google.internal.', GUARDED],
    ['http://0.0.0.0:11434', GUARDED],
  ])('%s is refused as a base URL', async (base_url, reason) => {
    await expectRefused({ base_url }, 'base_url', reason)
  })

  test('a query is refused if the type does not accept one', async () => {
    const base_url = 'https://a.example/v1?x='
    await expectRefused({ type: CLOSEAI, base_url }, 'base_url', /must have no query/)
    expect((await create({ type: CUSTOM, base_url })).success).toBe(true)
    const id = await world.addChannel('a', { type: CUSTOM, base_url })
    const moved = await save({ id, key: 'sk-new', type: CLOSEAI })
    expect(moved.message).toMatch(/"base_url".*must have no query/)
  })

  test.each([
    ['http://a.example:8080#', 'config', /as "proxy".*no "#"/],
    ['http://169.254.169.254:3128', 'config.proxy', GUARDED],
    ['socks5://2852039166:1080', 'config.proxy', GUARDED],
    ['socks5h://[fe80::1]:1080', 'config.proxy', GUARDED],
    ['https://ann:secret@metadata.google.internal', 'config.proxy', GUARDED],
  ])('%s is refused as a proxy', async (proxy, field, reason) => {
    await expectRefused({ config: JSON.stringify({ proxy }) }, field, reason)
  })

  test('the refusal is available in Chinese', async () => {
    const body = { ...channelForm, base_url: 'http://169.254.169.254' }
    const answer = await world.call('POST', '/api/channel/', { body, language: 'zh' })
    expect(answer.message).toMatch(/^字段“base_url”无效：不能指向链路本地、云元数据/)
  })

  test('a listed network is allowed', async () => {
    await openOwn({ privateNetworks: ['169.254.0.0/16'] })
    expect((await create({ base_url: 'http://169.254.169.254' })).success).toBe(true)
  })

  test('with private networks forbidden, neither base URL nor proxy may be in one', async () => {
    const id = await world.addChannel('a', {}, answerChat())
    expect((await testOne(id)).success).toBe(true)
    await world.plane.setOption('ChannelPrivateNetworksEnabled', 'false')
    for (const base_url of ['http://127.0.0.1', 'http://10.0.0.1', 'http://localhost']) {
      const answers = [await create({ base_url }), await fetchModels({ base_url })]
      for (const { message } of answers) expect(message).toMatch(PRIVATE)
    }
    const config = '{"proxy":"http://[::1]:8080"}'
    const proxied = await create({ base_url: 'https://a.example', config })
    expect(proxied.message).toMatch(PRIVATE)
    expect((await create({ type: OLLAMA })).message).toMatch(/"base_url".*private network/)
    expect((await create({ base_url: 'https://a.example' })).success).toBe(true)
  })

  test('a channel that existed before is refused when it is used', async () => {
    const id = await world.addChannel('kept', {}, answerChat())
    expect((await testOne(id)).success).toBe(true)
    await world.plane.setOption('ChannelPrivateNetworksEnabled', 'false')
    expect((await testOne(id)).message).toMatch(/leads to a private network/)
    expect((await testOne(id, 'zh')).message).toMatch(/指向内网地址/)
    expect((await world.rowOf(id)).test_error).toMatch(/leads to a private network/)
    expect(world.provider.requestsOf('kept')).toHaveLength(1)
    await world.plane.setOption('ChannelPrivateNetworksEnabled', 'true')
    expect((await testOne(id)).success).toBe(true)
  })

  test('a channel stored with such an address can be renamed, disabled and corrected', async () => {
    const id = await world.addChannel('old', { type: CLOSEAI }, answerChat())
    await store(id, { base_url: `${world.provider.baseUrl('old')}#` })
    expect((await testOne(id)).message).toMatch(/base URL of the channel must have no "#"/)
    expect((await testOne(id, 'zh')).message).toMatch(/代理地址（Base URL）不能包含“#”/)
    expect((await balanceOf(id)).message).toMatch(/must have no "#"/)
    expect((await fetchModels({ id, key: '' })).message).not.toMatch(/Internal/)
    const { data: row } = await world.call('GET', `/api/channel/${id}`)
    // Safe because this is a channel.
    expect((await save(row as object)).message).toMatch(/"base_url".*no "#"/)
    expect((await save({ id, status: CHANNEL_STATUS.disabled })).success).toBe(true)
    expect((await save({ id, name: 'renamed' })).success).toBe(true)
    expect((await save({ id, key: 'sk-new', base_url: 'https://a.example' })).success).toBe(true)
    expect(world.provider.requestsOf('old')).toEqual([])
  })

  test('nothing is fetched from a typed path, and nothing of an answer is shown', async () => {
    const planted = 'plantedSecret of an inner server'
    world.provider.script(
      'secret',
      answerJson(planted, { headers: { 'content-type': 'text/plain' } }),
    )
    for (const type of [1, 4, 5, 8, 10, 12, 13, 20]) {
      for (const ending of ['#', '?x=']) {
        const id = await world.addChannel('a', { type, base_url: 'https://a.example' })
        const base_url = `${world.provider.baseUrl('secret')}${ending}`
        await store(id, { base_url })
        const answers = [
          await balanceOf(id),
          await fetchModels({ type, base_url }),
          await testOne(id),
        ]
        for (const { success, text } of answers) {
          expect(success).toBe(false)
          expect(text).not.toContain('planted')
        }
      }
    }
    const paths = world.provider.requestsOf('secret').map(({ path }) => path)
    for (const path of paths) expect(path).toMatch(/^\/v1\//)
  })

  test.each([
    ['text', answerJson('plantedSecret', { headers: { 'content-type': 'text/plain' } })],
    ['JSON', answerJson({ message: 'plantedSecret' })],
    ['a page', answerJson('<b>plantedSecret', { headers: { 'content-type': 'text/html' } })],
    [
      'text of a failure',
      answerJson('plantedSecret', { status: 404, headers: { 'content-type': 'text/plain' } }),
    ],
  ])('%s of a server that is no provider is not shown', async (_, script) => {
    const id = await world.addChannel('a', { type: CLOSEAI }, script)
    const { base_url } = await world.rowOf(id)
    const answers = [
      await testOne(id),
      await balanceOf(id),
      await fetchModels({ base_url }),
      await world.call('GET', `/api/channel/${id}`),
    ]
    for (const { text } of answers) expect(text).not.toContain('planted')
    expect(answers[0]?.message).toMatch(/upstream answered with status (?:200, but|404 \(text)/)
    expect(world.plane.logLines.join()).not.toContain('planted')
  })

  test('a host name that resolves elsewhere after saving is not connected to', async () => {
    const { lookup } = leadsInTurn(['127.0.0.1'], ['169.254.169.254'])
    await openOwn({ lookup })
    const { port } = new URL(world.provider.baseUrl('a'))
    const closing = { connection: 'close' }
    const id = await world.addChannel(
      'a',
      { base_url: `http://changing.test:${port}/a` },
      (response, request) => {
        for (const [name, value] of Object.entries(closing)) response.setHeader(name, value)
        return answerChat()(response, request)
      },
    )
    expect((await testOne(id)).success).toBe(true)
    expect((await testOne(id)).message).toMatch(/link-local, cloud metadata or unspecified/)
    expect(world.provider.requestsOf('a')).toHaveLength(1)
  })

  test('a proxy whose name resolves to a metadata service is not connected to', async () => {
    const proxy = await startHttpProxy()
    await openOwn({ lookup: leadsTo('169.254.169.254') })
    const config = JSON.stringify({ proxy: proxy.address.replace('127.0.0.1', 'proxy.test') })
    const id = await world.addChannel('a', { config }, answerChat())
    expect((await testOne(id)).message).toMatch(/link-local, cloud metadata or unspecified/)
    expect(proxy.targets).toEqual([])
    proxy.close()
  })
})

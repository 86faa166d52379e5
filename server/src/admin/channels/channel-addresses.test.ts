import { afterEach, expect, onTestFinished, test } from 'vitest'
import { CHANNEL_STATUS, ROLE } from '@tollgate/contract'
import { answerChat, answerJson } from '../../../testing/fakes/scripted-upstream.ts'
import { openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import { channelForm, openControlPlane } from '../../../testing/worlds/control-plane.ts'
import { describeWorld } from '../../../testing/worlds/describe-planes.ts'
import { setRow } from '../../../testing/worlds/rows.ts'

const CLOSEAI = 4
const CUSTOM = 8
const OLLAMA = 30

const GUARDED = /must not lead to a link-local, cloud metadata or unspecified address/
const PRIVATE = /must not lead to a private network while ChannelPrivateNetworksEnabled is off/

describeWorld(openChannelWorld, 'the addresses of a channel', (world) => {
  afterEach(() => world.plane.setOption('ChannelPrivateNetworksEnabled', 'true'))

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
    setRow(world.plane, 'channels', id, columns)

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
    ['socks5h://[fe80::1]:1080', 'config.proxy', GUARDED],
    ['https://ann:secret@metadata.google.internal', 'config.proxy', GUARDED],
  ])('%s is refused as a proxy', async (proxy, field, reason) => {
    await expectRefused({ config: JSON.stringify({ proxy }) }, field, reason)
  })

  test('a listed network is allowed', async () => {
    const plane = await openControlPlane('sqlite', { privateNetworks: ['169.254.0.0/16'] })
    onTestFinished(plane.close)
    const admin = await plane.addPerson(ROLE.admin)
    expect(await plane.addChannel(admin, { base_url: 'http://169.254.169.254' })).toBeGreaterThan(0)
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
    const plain = { headers: { 'content-type': 'text/plain' } }
    world.provider.script('secret', answerJson('plantedSecret of an inner server', plain))
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

  const headers = { 'content-type': 'text/plain' }
  test.each([
    ['text', answerJson('plantedSecret', { headers })],
    ['JSON', answerJson({ message: 'plantedSecret' })],
    ['text of a failure', answerJson('plantedSecret', { status: 404, headers })],
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
})

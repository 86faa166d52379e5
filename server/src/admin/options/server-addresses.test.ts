import { afterEach, expect, onTestFinished, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { openControlPlane } from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'
import { storedRows } from '../../../testing/worlds/rows.ts'

/** Options the server connects to, and how each embeds a host. */
const ADDRESSES: [string, (host: string) => string][] = [
  ['SMTPServer', (host) => host.replace(/^\[|\]$/g, '')],
  ['OidcWellKnown', (host) => `https://${host}`],
  ['OidcTokenEndpoint', (host) => `https://${host}/token`],
  ['OidcUserinfoEndpoint', (host) => `https://${host}/userinfo`],
  ['WeChatServerAddress', (host) => `https://${host}`],
  ['MessagePusherAddress', (host) => `https://${host}/push?x=1`],
]

const METADATA = ['169.254.169.254', '[fe80::1]', '0.0.0.0']

describePlane('server addresses in options', ['admin'], ({ plane, kind, admin }) => {
  afterEach(() => plane.setOption('ChannelPrivateNetworksEnabled', 'true'))

  const save = (key: string, value: string, language = 'en') =>
    plane.call('PUT', '/api/option/', {
      as: admin,
      body: { key, value },
      headers: { 'accept-language': language },
    })

  const openOwn = async (given: Parameters<typeof openControlPlane>[1]) => {
    const one = await openControlPlane(kind, given)
    onTestFinished(one.close)
    const root = await one.addPerson(ROLE.root)
    const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
      one.call(method, path, { as: root, body })
    return { plane: one, call }
  }

  test.each(ADDRESSES)('%s may not be a metadata address', async (key, addressOf) => {
    for (const host of METADATA) {
      const { success, message } = await save(key, addressOf(host))
      expect(success, host).toBe(false)
      expect(message).toContain(`"${key}" is not valid: must not lead to a link-local`)
    }
    expect((await save(key, addressOf('169.254.169.254'), 'zh')).message).toContain(
      `“${key}”无效：不能指向链路本地`,
    )
    expect(await storedRows(plane, 'options', { key })).toEqual([])
  })

  test.each(ADDRESSES)(
    '%s may not be in a private network while that is forbidden',
    async (key, of) => {
      expect((await save(key, of('10.0.0.1'))).success).toBe(true)
      await plane.setOption('ChannelPrivateNetworksEnabled', 'false')
      const { message } = await save(key, of('10.0.0.2'))
      expect(message).toMatch(
        /must not lead to a private network while ChannelPrivateNetworksEnabled/,
      )
      // Unchanged values stay valid, so a whole form can be saved.
      expect((await save(key, of('10.0.0.1'))).success).toBe(true)
      expect((await save(key, of('a.example'))).success).toBe(true)
      expect((await save(key, '')).success).toBe(true)
    },
  )

  test('addresses that only browsers open are unrestricted', async () => {
    for (const key of ['TopUpLink', 'ChatLink', 'OidcAuthorizationEndpoint', 'Logo']) {
      expect((await save(key, 'https://169.254.169.254')).success, key).toBe(true)
    }
  })

  test('a listed network is allowed', async () => {
    const { call } = await openOwn({ privateNetworks: ['169.254.0.0/16'] })
    const body = { key: 'SMTPServer', value: '169.254.169.254' }
    expect((await call('PUT', '/api/option/', body)).success).toBe(true)
  })

  test('the environment makes the option read-only', async () => {
    for (const isAllowed of [true, false]) {
      const pinned = { ChannelPrivateNetworksEnabled: isAllowed }
      const { plane: locked, call } = await openOwn({ pinned })
      const key = 'ChannelPrivateNetworksEnabled'
      const change = (value: boolean) => call('PUT', '/api/option/', { key, value: String(value) })
      expect((await change(isAllowed)).success).toBe(true)
      const refused = await change(!isAllowed)
      expect(refused.message).toMatch(/"ChannelPrivateNetworksEnabled".*environment variable/)
      const { data } = await call('GET', '/api/option/')
      expect(data).toContainEqual({ key, value: String(isAllowed) })
      expect(locked.settings.current().ChannelPrivateNetworksEnabled).toBe(isAllowed)
      const { data: changes } = await call('GET', '/api/option/changes')
      expect(changes).toEqual([])
    }
  })

  test('a stored value is ignored if the environment sets the option', async () => {
    await plane.setOption('ChannelPrivateNetworksEnabled', 'false')
    const { files, clock } = plane
    const { plane: second } = await openOwn({
      sharing: { files, clock },
      pinned: { ChannelPrivateNetworksEnabled: true },
    })
    expect(second.settings.current().ChannelPrivateNetworksEnabled).toBe(true)
  })
})

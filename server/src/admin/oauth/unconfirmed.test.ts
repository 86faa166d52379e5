import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type OptionKey, ROLE } from '@tollgate/contract'
import { openHttpsServer } from '../../../testing/fakes/https-server.ts'
import { CLIENT, WECHAT_TOKEN } from '../../../testing/fakes/identity-servers.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { openBrowser } from '../../../testing/worlds/browser.ts'
import { openControlPlane, type Person } from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { openOAuthWorld, SERVER_ADDRESS } from '../../../testing/worlds/oauth-world.ts'
import { readUser, setRow, storedRows } from '../../../testing/worlds/rows.ts'

const EVIL_TOKEN = 'token-of-the-other-server'
const REFUSED = /super administrator has to confirm a change of/

const COLUMNS = {
  github: 'github_id',
  oidc: 'oidc_id',
  lark: 'lark_id',
  wechat: 'wechat_id',
} as const
type WayName = keyof typeof COLUMNS

/** Options of each way, changed by another administrator from one value to the test's value. */
const CHANGES: readonly [WayName, OptionKey, string, string][] = [
  ['github', 'GitHubClientId', 'former', CLIENT.id],
  ['github', 'GitHubClientSecret', 'former', CLIENT.secret],
  ['github', 'ServerAddress', 'https://former.example', SERVER_ADDRESS],
  ['oidc', 'OidcClientId', 'former', CLIENT.id],
  ['oidc', 'OidcAuthorizationEndpoint', '', 'https://evil.example/authorize'],
  ['oidc', 'ServerAddress', 'https://former.example', SERVER_ADDRESS],
  ['lark', 'LarkClientSecret', 'former', CLIENT.secret],
  ['lark', 'ServerAddress', 'https://former.example', SERVER_ADDRESS],
  ['wechat', 'WeChatServerToken', 'former', WECHAT_TOKEN],
  ['wechat', 'WeChatAccountQRCodeImageURL', '', 'https://evil.example/qr.png'],
  ['wechat', 'ServerAddress', 'https://former.example', SERVER_ADDRESS],
]

const waitingSchema = z.array(z.object({ id: z.int(), key: z.string() }))

const TITLE = 'ways to log in that root has not confirmed, on %s'

describeWorlds(openOAuthWorld, TITLE, (world, kind) => {
  let root: Person
  let adam: Person
  let bob: Person
  let ann: Person
  let made = 0

  beforeAll(async () => {
    root = await world.plane.addPerson(ROLE.root)
  })
  beforeEach(async () => {
    await world.restore()
    await confirmAll()
    adam = await world.plane.addPerson(ROLE.admin)
    bob = await world.plane.addPerson(ROLE.admin)
    ann = await world.plane.addPerson()
  })

  const saved = (as: Person, key: OptionKey, value: string) =>
    world.plane.done('PUT', '/api/option/', { as, body: { key, value } })

  const change = (id: number, values: object) => setRow(world.plane, 'users', id, values)

  const confirmAll = async () => {
    const { data } = await world.plane.call('GET', '/api/option/unconfirmed', { as: root })
    const ids = waitingSchema.parse(data).map(({ id }) => id)
    if (ids.length === 0) return
    await world.plane.done('POST', '/api/option/confirm', { as: root, body: { ids } })
  }

  /** Logs in, or binds if there is a session. */
  const comeBy = async (way: WayName, id: string, session?: string) => {
    const browser = world.newBrowser(session)
    if (way !== 'wechat') return world.signIn(way, { id }, browser)
    const path = session === undefined ? 'wechat' : 'wechat/bind'
    return browser.get(`/api/oauth/${path}?code=${world.wechat.tellCode(id)}`)
  }

  /** Gives a person an identity and returns its id. */
  const give = async (way: WayName, person: Person) => {
    made += 1
    const id = String(700_000 + made)
    const stored = way === 'oidc' ? `${world.oidc.issuer}#${id}` : id
    await change(person.id, { [COLUMNS[way]]: stored })
    return id
  }

  const sessionsOf = ({ id }: Person) => storedRows(world.plane, 'sessions', { user_id: id })

  /** A WeChat server that names a follower once it may answer. */
  const openSlowServer = async (data: string) => {
    const asked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const server = await openHttpsServer({
      '/api/wechat/user': async () => {
        asked.resolve()
        await released.promise
        return { body: { success: true, message: '', data } }
      },
    })
    return { ...server, asked: asked.promise, release: released.resolve }
  }

  describe('with another node', () => {
    const node = openPerTest(() => openControlPlane(kind, { sharing: world.plane }))

    test('a change made on that node counts here before its values are known', async () => {
      const bobsId = await give('wechat', bob)
      // Until it reloads its snapshot, this node still uses the former server.
      await node.settings.update(
        { key: 'WeChatServerToken', value: EVIL_TOKEN },
        { actor: adam, language: 'en', nowSeconds: 1 },
      )
      const browser = openBrowser(world.plane, { address: '203.0.113.7' })
      const code = world.wechat.tellCode(bobsId)
      const answer = await browser.get(`/api/oauth/wechat?code=${code}`)
      expect(answer.success).toBe(false)
      const { data } = await world.plane.call('GET', '/api/option/unconfirmed', { as: root })
      expect(waitingSchema.parse(data).map(({ key }) => key)).toEqual(['WeChatServerToken'])
    })

    test('a confirmation made on that node counts here', async () => {
      const bobsId = await give('wechat', bob)
      await world.set({ WeChatServerToken: 'former' })
      await saved(adam, 'WeChatServerToken', WECHAT_TOKEN)
      expect((await comeBy('wechat', bobsId)).message).toMatch(REFUSED)
      const { data } = await node.call('GET', '/api/option/unconfirmed', { as: root })
      const ids = waitingSchema.parse(data).map(({ id }) => id)
      await node.call('POST', '/api/option/confirm', { as: root, body: { ids } })
      expect((await comeBy('wechat', bobsId)).data).toMatchObject({ id: bob.id })
    })
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test("an administrator who points WeChat to their own server gets into no other administrator's account", async () => {
    const bobsId = await give('wechat', bob)
    const annsId = await give('wechat', ann)
    const evil = await openHttpsServer({
      '/api/wechat/user': ({ query }) => ({
        body: { success: true, message: '', data: query.get('code') ?? '' },
      }),
    })
    const come = (code: string) => world.newBrowser().get(`/api/oauth/wechat?code=${code}`)
    await saved(adam, 'WeChatServerToken', EVIL_TOKEN)
    await saved(adam, 'WeChatServerAddress', evil.url)
    const before = await sessionsOf(bob)
    const answer = await come(bobsId)
    expect([answer.status, answer.success, answer.data]).toEqual([200, false, undefined])
    expect(answer.message).toMatch(REFUSED)
    expect(answer.message).toContain('WeChatServerAddress')
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(await sessionsOf(bob)).toEqual(before)
    const chinese = await world
      .newBrowser()
      .get(`/api/oauth/wechat?code=${bobsId}`, { headers: { 'accept-language': 'zh' } })
    expect(chinese.message).toMatch(/WeChatServerAddress.*已被修改，需先由超级管理员确认/)
    expect((await come(annsId)).data).toMatchObject({ id: ann.id })
    await evil.close()
  })

  test.each(CHANGES)('%s: %s changed by an administrator awaits root', async (...row) => {
    const [way, key, former, value] = row
    const bobsId = await give(way, bob)
    const annsId = await give(way, ann)
    await world.set({ [key]: former })
    await saved(adam, key, value)
    const refused = await comeBy(way, bobsId)
    expect([refused.status, refused.success]).toEqual([200, false])
    expect(refused.message).toMatch(REFUSED)
    expect(refused.message).toContain(key)
    expect((await comeBy(way, annsId)).data).toMatchObject({ id: ann.id, role: ROLE.user })

    const bound = await comeBy(way, `8${bobsId.slice(1)}`, bob.session)
    expect([bound.success, bound.message]).toEqual([false, refused.message])
    expect((await comeBy(way, `9${annsId.slice(1)}`, ann.session)).success).toBe(true)

    await confirmAll()
    expect((await comeBy(way, bobsId)).data).toMatchObject({ id: bob.id, role: ROLE.admin })
    expect((await comeBy(way, `8${bobsId.slice(1)}`, bob.session)).success).toBe(true)
  })

  test('also after replacing an endpoint of plain OAuth', async () => {
    const { issuer } = world.oidc
    await world.set({
      OidcAuthorizationEndpoint: `${issuer}/authorize`,
      OidcTokenEndpoint: `${issuer}/token`,
      OidcUserinfoEndpoint: `${issuer}/userinfo`,
      OidcWellKnown: '',
    })
    await change(bob.id, { oidc_id: `${issuer}/userinfo#600001` })
    await change(ann.id, { oidc_id: `${issuer}/userinfo#600002` })
    // A token that Bob granted to another application of the same provider is enough.
    const evil = await openHttpsServer()
    const giveTokenOf = (id: string) =>
      evil.route('/token', ({ body }) => {
        const form = Object.fromEntries(new URLSearchParams(body))
        const start = new URLSearchParams({ client_id: CLIENT.id })
        const { code } = world.oidc.allow(`${issuer}/authorize?${start.toString()}`, { id })
        const given = { client_id: CLIENT.id, client_secret: CLIENT.secret, code }
        const outcome = world.oidc.redeem(given)
        if (typeof outcome === 'string' || form['code'] === undefined) return { status: 400 }
        return { body: { access_token: outcome.access_token } }
      })
    await saved(adam, 'OidcClientSecret', CLIENT.secret)
    await saved(adam, 'OidcTokenEndpoint', `${evil.url}/token`)
    giveTokenOf('600001')
    const answer = await comeBy('oidc', '1')
    expect([answer.success, answer.data]).toEqual([false, undefined])
    expect(answer.message).toMatch(REFUSED)
    giveTokenOf('600002')
    expect((await comeBy('oidc', '1')).data).toMatchObject({ id: ann.id })
    await evil.close()
  })

  test.each(['github', 'oidc', 'lark', 'wechat'] as const)(
    "root's changes of %s, and changes of other options, block no login",
    async (way) => {
      const bobsId = await give(way, bob)
      await saved(root, 'ServerAddress', 'https://former.example')
      await saved(root, 'ServerAddress', SERVER_ADDRESS)
      const other = way === 'github' ? 'LarkClientId' : 'GitHubClientId'
      await saved(adam, other, 'other')
      expect((await comeBy(way, bobsId)).data).toMatchObject({ id: bob.id })
    },
  )

  test('a login by password is not blocked', async () => {
    await saved(adam, 'ServerAddress', 'https://former.example')
    await change(bob.id, { password_hash: await world.plane.passwords.hash('correct horse') })
    const body = { username: bob.username, password: 'correct horse' }
    const answer = await world.plane.call('POST', '/api/user/login', { body })
    expect(answer.data).toMatchObject({ id: bob.id })
  })

  test('the role at the moment of the login counts', async () => {
    const annsId = await give('wechat', ann)
    await saved(adam, 'ServerAddress', 'https://former.example')
    await change(ann.id, { role: ROLE.admin })
    expect((await comeBy('wechat', annsId)).message).toMatch(REFUSED)
    await change(ann.id, { role: ROLE.user })
    expect((await comeBy('wechat', annsId)).data).toMatchObject({ id: ann.id })
  })

  test('a caller who was promoted during the exchange binds nothing', async () => {
    await saved(adam, 'WeChatServerToken', EVIL_TOKEN)
    const evil = await openHttpsServer({
      '/api/wechat/user': async () => {
        await change(ann.id, { role: ROLE.admin })
        return { body: { success: true, message: '', data: 'an id of the server’s choice' } }
      },
    })
    await saved(adam, 'WeChatServerAddress', evil.url)
    const answer = await world.newBrowser(ann.session).get('/api/oauth/wechat/bind?code=x')
    expect(answer.message).toMatch(REFUSED)
    expect((await readUser(world.plane, ann.id)).wechat_id).toBe('')
    await evil.close()
  })

  test.each([
    ['root', () => root],
    ['the one who changed them', () => adam],
  ])('an answer delayed until %s has restored the settings opens nothing', async (_, restorer) => {
    const bobsId = await give('wechat', bob)
    const evil = await openSlowServer(bobsId)
    await saved(root, 'WeChatServerToken', ' ')
    await saved(adam, 'WeChatServerAddress', evil.url)
    const held = world.newBrowser().get('/api/oauth/wechat?code=x')
    await evil.asked
    await saved(restorer(), 'WeChatServerAddress', world.wechat.url)
    evil.release()
    const answer = await held
    expect([answer.success, answer.message]).toEqual([
      false,
      'The settings of this way to log in have just changed. Try again.',
    ])
    await saved(root, 'WeChatServerToken', WECHAT_TOKEN)
    expect((await comeBy('wechat', bobsId)).data).toMatchObject({ id: bob.id })
    await evil.close()
  })

  test("an answer that arrives after root's confirmation counts", async () => {
    const bobsId = await give('wechat', bob)
    const server = await openSlowServer(bobsId)
    await saved(adam, 'WeChatServerToken', EVIL_TOKEN)
    await saved(adam, 'WeChatServerAddress', server.url)
    const signingIn = world.newBrowser().get('/api/oauth/wechat?code=x')
    await server.asked
    await confirmAll()
    server.release()
    expect((await signingIn).data).toMatchObject({ id: bob.id })
    await server.close()
  })
})

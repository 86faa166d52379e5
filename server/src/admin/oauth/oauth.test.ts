import { describe, expect, test } from 'vitest'
import { username as usernameSchema } from '@tollgate/contract'
import { CLIENT, WECHAT_TOKEN } from '../../../testing/fakes/identity-servers.ts'
import { idOf } from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { openOAuthWorld } from '../../../testing/worlds/oauth-world.ts'
import { readUser, setRow } from '../../../testing/worlds/rows.ts'

const PROVIDERS = ['github', 'oidc', 'lark'] as const
/** PostgreSQL gets the same statements from all of them. */
const ONE = ['github'] as const

const COLUMNS = { github: 'github_id', oidc: 'oidc_id', lark: 'lark_id' } as const

describeWorlds(openOAuthWorld, 'login by external providers on %s', (world, kind) => {
  const userRow = (id: number) => readUser(world.plane, id)

  const stored = (name: (typeof PROVIDERS)[number], id: string) =>
    name === 'oidc' ? `${world.oidc.issuer}#${id}` : id

  describe.each(kind === 'sqlite' ? PROVIDERS : ONE)('by %s', (name) => {
    test('the first login registers, the next one finds the same user', async () => {
      const person = { id: '100001', name: 'Ada Lovelace' }
      const browser = world.newBrowser()
      const first = await world.signIn(name, person, browser)
      expect([first.status, first.success, first.message]).toEqual([200, true, ''])
      const id = idOf(first)
      const user = await userRow(id)
      expect(user).toMatchObject({
        [COLUMNS[name]]: stored(name, '100001'),
        display_name: 'Ada Lovelace',
        password_hash: '',
        email: '',
        quota: 7000,
        status: 1,
        role: 1,
      })
      expect(usernameSchema.safeParse(user.username).success).toBe(true)
      expect(user.username).toMatch(new RegExp(`^${name}_[0-9a-z]{5}$`))
      expect(String(first.headers['set-cookie'])).toMatch(
        /session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict/,
      )
      const self = await browser.get('/api/user/self')
      expect(self.data).toMatchObject({ id })

      const again = await world.signIn(name, person)
      expect(idOf(again)).toBe(id)
      expect((await userRow(id)).quota).toBe(7000)
    })

    test('with a session it binds, and returns nothing else', async () => {
      const person = await world.plane.addPerson()
      const browser = world.newBrowser(person.session)
      const answer = await world.signIn(name, { id: '100003' }, browser)
      expect(JSON.parse(answer.text)).toEqual({ success: true, message: 'bind' })
      expect(browser.cookie('session')).toBe(person.session)
      expect((await userRow(person.id))[COLUMNS[name]]).toBe(stored(name, '100003'))
      expect(idOf(await world.signIn(name, { id: '100003' }))).toBe(person.id)
    })

    test('a client that builds the address itself logs in without PKCE', async () => {
      const browser = world.newBrowser()
      const { data: state } = await browser.get('/api/oauth/state')
      const query = new URLSearchParams({ client_id: CLIENT.id, state: String(state) })
      if (name !== 'github') query.set('redirect_uri', `https://gate.example/oauth/${name}`)
      const back = world[name].allow(`https://there.example/?${query.toString()}`, { id: '100004' })
      const given = new URLSearchParams(back)
      const answer = await browser.get(`/api/oauth/${name}?${given.toString()}`)
      expect(answer).toMatchObject({ success: true, data: { display_name: expect.any(String) } })
      expect(answer.message).toBe('')
    })
  })

  // All providers share what follows.
  const name = 'github'

  test('two concurrent first logins create one user', async () => {
    const browsers = Array.from({ length: 4 }, () => world.newBrowser())
    const answers = await Promise.all(
      browsers.map((browser) => world.signIn(name, { id: '100005', name: 'Twin' }, browser)),
    )
    expect(answers.map(({ success }) => success)).toEqual([true, true, true, true])
    expect(new Set(answers.map(idOf)).size).toBe(1)
    const selves = await Promise.all(browsers.map((browser) => browser.get('/api/user/self')))
    expect(selves.every(({ success }) => success)).toBe(true)
  })

  test('an identity of another user is not bound', async () => {
    const owner = idOf(await world.signIn(name, { id: '100006' }))
    const person = await world.plane.addPerson()
    const answer = await world.signIn(name, { id: '100006' }, world.newBrowser(person.session))
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(/bound to another user/)
    expect((await userRow(person.id)).github_id).toBe('')
    expect(idOf(await world.signIn(name, { id: '100006' }))).toBe(owner)
  })

  test.each([2, 3])(
    'a user of status %s is neither logged in nor created again',
    async (status) => {
      const resident = { id: `10001${status}` }
      const id = idOf(await world.signIn(name, resident))
      await setRow(world.plane, 'users', id, { status })
      const browser = world.newBrowser()
      const answer = await world.signIn(name, resident, browser)
      expect([answer.status, answer.success]).toEqual([200, false])
      expect(answer.message).toMatch(/banned/)
      expect(browser.cookie('session')).toBeUndefined()
    },
  )

  test('root can neither bind nor log in', async () => {
    const root = await world.plane.addPerson(100)
    const bound = await world.signIn(name, { id: '100007' }, world.newBrowser(root.session))
    expect(bound.message).toMatch(/with a password or passkey only/)
    expect((await userRow(root.id)).github_id).toBe('')
    await setRow(world.plane, 'users', root.id, { github_id: '100007' })
    const browser = world.newBrowser()
    const answer = await world.signIn(name, { id: '100007' }, browser)
    expect([answer.success, answer.message]).toEqual([false, bound.message])
    expect(browser.cookie('session')).toBeUndefined()
  })

  test('no account is created while registration is off', async () => {
    const known = idOf(await world.signIn(name, { id: '100008' }))
    await world.set({ RegisterEnabled: 'false' })
    const unknown = await world.signIn(name, { id: '100009' })
    const again = await world.signIn(name, { id: '100008' })
    await world.set({ RegisterEnabled: 'true' })
    expect(unknown.message).toMatch(/turned off registration/)
    expect(idOf(again)).toBe(known)
  })

  test('password registration may be off', async () => {
    await world.set({ PasswordRegisterEnabled: 'false' })
    const answer = await world.signIn(name, { id: '100010' })
    await world.set({ PasswordRegisterEnabled: 'true' })
    expect(answer.success).toBe(true)
  })

  test('a name that is too long or has invisible characters is cut and cleaned', async () => {
    const long = `\u202E\u0000Grace\n\t Hopper ${'😀'.repeat(30)}`
    const user = await userRow(idOf(await world.signIn(name, { id: '100011', name: long })))
    expect(user.display_name).toBe(`Grace Hopper ${'😀'.repeat(7)}`)
    const nameless = await userRow(idOf(await world.signIn(name, { id: '100014', name: '' })))
    expect(nameless.display_name).not.toBe('')
  })

  test('values a form can edit can be edited afterwards', async () => {
    const root = await world.plane.addPerson(100)
    const user = await userRow(idOf(await world.signIn(name, { id: '1234567890' })))
    const { id, username, display_name, github_id, wechat_id, group } = user
    const body = { id, username, display_name, github_id, wechat_id, group }
    const answer = await world.plane.call('PUT', '/api/user/', { as: root, body })
    expect([answer.success, answer.message]).toEqual([true, ''])
  })

  test('GitHub identifies by number, whatever the login name', async () => {
    const first = await world.signIn('github', { id: '5001', claims: { login: 'ada' } })
    const second = await world.signIn('github', { id: '5002', claims: { login: 'ada' } })
    const renamed = await world.signIn('github', { id: '5001', claims: { login: 'byron' } })
    expect(idOf(second)).not.toBe(idOf(first))
    expect(idOf(renamed)).toBe(idOf(first))
  })

  test('an address is stored only if its provider has verified it and it is free', async () => {
    const email = 'Ada@Example.com'
    const emailOf = async (claims: Record<string, unknown>, id: string) =>
      (await userRow(idOf(await world.signIn('oidc', { id, claims })))).email
    expect(await emailOf({ email }, 'mail1')).toBe('')
    expect(await emailOf({ email, email_verified: 'true' }, 'mail2')).toBe('')
    expect(await emailOf({ email, email_verified: true }, 'mail3')).toBe('ada@example.com')
    expect(await emailOf({ email, email_verified: true }, 'mail4')).toBe('')
    expect(await emailOf({ email: 'no address', email_verified: true }, 'mail5')).toBe('')
    await world.set({ EmailDomainWhitelist: 'listed.example' })
    await world.set({ EmailDomainRestrictionEnabled: 'true' })
    const unlisted = { email: 'bob@example.com', email_verified: true }
    expect(await emailOf(unlisted, 'mail6')).toBe('')
    await world.set({ EmailDomainRestrictionEnabled: 'false' })
    expect(await emailOf(unlisted, 'mail7')).toBe('bob@example.com')
  })

  test('a preferred username is used if it is free and valid', async () => {
    const nameOf = async (id: string, preferred_username: unknown) => {
      const answer = await world.signIn('oidc', { id, claims: { preferred_username } })
      return (await userRow(idOf(answer))).username
    }
    expect(await nameOf('name1', 'lovelace')).toBe('lovelace')
    expect(await nameOf('name2', 'LoveLace')).toMatch(/^oidc_/)
    expect(await nameOf('name3', 'much too long a name')).toMatch(/^oidc_/)
    expect(await nameOf('name4', 17)).toMatch(/^oidc_/)
  })

  describe('by WeChat', () => {
    const signIn = (follower: string, browser = world.newBrowser()) =>
      browser.get(`/api/oauth/wechat?code=${world.wechat.tellCode(follower)}`)

    test('the first code registers, the next one finds the same user', async () => {
      const browser = world.newBrowser()
      const answer = await signIn('wx-1', browser)
      const user = await userRow(idOf(answer))
      expect(user).toMatchObject({ wechat_id: 'wx-1', display_name: 'WeChat User', quota: 7000 })
      expect(user.username).toMatch(/^wechat_[0-9a-z]{5}$/)
      expect((await browser.get('/api/user/self')).data).toMatchObject({ id: user.id })
      expect(idOf(await signIn('wx-1'))).toBe(user.id)
      expect(world.wechat.requests.at(-1)?.headers.authorization).toBe(WECHAT_TOKEN)
    })

    test('logging in ends the session the browser had', async () => {
      const person = await world.plane.addPerson()
      const browser = world.newBrowser(person.session)
      const id = idOf(await signIn('wx-2', browser))
      expect(id).not.toBe(person.id)
      expect(browser.cookie('session')).not.toBe(person.session)
      expect((await world.plane.call('GET', '/api/user/self', { as: person })).status).toBe(401)
    })

    test('a user binds it; root and a second user do not', async () => {
      const bind = (session: string) =>
        world
          .newBrowser(session)
          .get(`/api/oauth/wechat/bind?code=${world.wechat.tellCode('wx-3')}`)
      const [first, second] = [await world.plane.addPerson(), await world.plane.addPerson()]
      const root = await world.plane.addPerson(100)
      expect((await bind(root.session)).message).toMatch(/with a password or passkey only/)
      const bound = await bind(first.session)
      expect(JSON.parse(bound.text)).toEqual({ success: true, message: '' })
      expect((await bind(second.session)).message).toMatch(/bound to another user/)
      expect(idOf(await signIn('wx-3'))).toBe(first.id)
    })

    test('a wrong code, a missing one and a wrong state are refused', async () => {
      const browser = world.newBrowser()
      expect((await browser.get('/api/oauth/wechat?code=guessed')).message).toMatch(/WeChat/)
      expect((await browser.get('/api/oauth/wechat?code=')).message).toMatch(/"code"/)
      expect((await browser.get('/api/oauth/wechat')).message).toMatch(/"code"/)
      await world.set({ WeChatServerToken: 'another' })
      expect((await signIn('wx-4', browser)).success).toBe(false)
      await world.set({ WeChatServerToken: WECHAT_TOKEN })
      expect(browser.cookie('session')).toBeUndefined()
    })
  })
})

import { beforeEach, describe, expect, test } from 'vitest'
import { CLIENT } from '../../../testing/fakes/identity-servers.ts'
import type { Browser } from '../../../testing/worlds/browser.ts'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { openOAuthWorld, SERVER_ADDRESS } from '../../../testing/worlds/oauth-world.ts'
import { readUser, setRow, storedRows } from '../../../testing/worlds/rows.ts'

const PROVIDERS = ['github', 'oidc', 'lark'] as const
/** PostgreSQL gets the same statements from all of them. */
const ONE = ['github'] as const
const TEN_MINUTES_MS = 10 * 60 * 1000
const TWENTY_MINUTES_MS = 2 * TEN_MINUTES_MS

describeWorlds(openOAuthWorld, 'states of logins on %s', (world, kind) => {
  let browser: Browser

  beforeEach(() => {
    browser = world.newBrowser()
  })

  const kyselyOf = () => world.plane.database.kysely

  const tables = () => {
    const names = ['users', 'sessions', 'tokens', 'oauth_states'] as const
    return Promise.all(names.map((name) => storedRows(world.plane, name)))
  }

  const expectRefused = (answer: Awaited<ReturnType<Browser['get']>>) => {
    expect([answer.status, answer.success]).toEqual([403, false])
    expect(answer.message).toBe('state is empty or not same')
  }

  const logOut = ({ id }: Person) =>
    kyselyOf().deleteFrom('sessions').where('user_id', '=', id).execute()

  describe.each(kind === 'sqlite' ? PROVIDERS : ONE)('from %s', (name) => {
    test('a missing, empty, wrong or overlong state is refused without a call to the provider', async () => {
      const { code } = await world.start(browser, name, { id: '1' })
      const before = await tables()
      const asked = world[name].requestsTo('/token').length
      for (const state of ['', '&state=', '&state=guessed', `&state=${'A'.repeat(43)}`]) {
        expectRefused(await browser.get(`/api/oauth/${name}?code=${code}${state}`))
      }
      const long = await browser.get(`/api/oauth/${name}?code=${code}&state=${'A'.repeat(513)}`)
      expect([long.status, long.success]).toEqual([200, false])
      expect(long.message).toMatch(/"state".*512/)
      expect(await tables()).toEqual(before)
      expect(world[name].requestsTo('/token').length).toBe(asked)
    })

    test('a state is valid only in the browser that started it', async () => {
      const back = await world.start(browser, name, { id: '2' })
      const other = world.newBrowser()
      expectRefused(await world.comeBack(other, name, back))
      await other.get('/api/oauth/state')
      expectRefused(await world.comeBack(other, name, back))
      expect((await world.comeBack(browser, name, back)).success).toBe(true)
    })

    test('a state of one tab survives a login in another tab', async () => {
      const ann = await world.plane.addPerson()
      const bob = await world.plane.addPerson()
      const signedOut = await world.start(browser, name, { id: '20' })
      const asAnn = world.newBrowser(ann.session)
      const annBegan = await world.start(asAnn, name, { id: '21' })
      browser.remember('session', ann.session)
      expectRefused(await world.comeBack(browser, name, signedOut))
      asAnn.remember('session', bob.session)
      expectRefused(await world.comeBack(asAnn, name, annBegan))
      asAnn.forget('session')
      expectRefused(await world.comeBack(asAnn, name, annBegan))
      asAnn.remember('session', ann.session)
      expect((await world.comeBack(asAnn, name, annBegan)).message).toBe('bind')
    })

    test('a login uses up its state', async () => {
      const back = await world.start(browser, name, { id: '3' })
      expect((await world.comeBack(browser, name, back)).success).toBe(true)
      browser.forget('session')
      expectRefused(await world.comeBack(browser, name, back))
    })

    test('a binding uses up its state', async () => {
      const person = await world.plane.addPerson()
      const signedIn = world.newBrowser(person.session)
      const back = await world.start(signedIn, name, { id: '4' })
      expect((await world.comeBack(signedIn, name, back)).message).toBe('bind')
      expectRefused(await world.comeBack(signedIn, name, back))
    })

    test('one of two concurrent returns with one state succeeds', async () => {
      const { url, ...first } = await world.start(browser, name, { id: '5' })
      const both = [first, world[name].allow(url, { id: '5' })]
      const answers = await Promise.all(both.map((back) => world.comeBack(browser, name, back)))
      expect(answers.filter(({ success }) => success === true)).toHaveLength(1)
    })

    test('a state lives ten minutes', async () => {
      const early = await world.start(browser, name, { id: '6' })
      world.plane.clock.now += TEN_MINUTES_MS - 1000
      expect((await world.comeBack(browser, name, early)).success).toBe(true)
      browser.forget('session')
      const late = await world.start(browser, name, { id: '6' })
      world.plane.clock.now += TEN_MINUTES_MS
      const answer = await world.comeBack(browser, name, late)
      world.plane.clock.now -= TWENTY_MINUTES_MS - 1000
      expectRefused(answer)
    })

    test('a failed exchange may be repeated four times', async () => {
      const back = await world.start(browser, name, { id: '7' })
      const failing = await world.start(browser, name, { id: '7' })
      const wrong = { ...failing, code: 'wrong' }
      for (let count = 0; count < 4; count++) {
        const answer = await world.comeBack(browser, name, wrong)
        expect([answer.status, answer.success]).toEqual([200, false])
      }
      expect((await world.comeBack(browser, name, failing)).success).toBe(true)
      browser.forget('session')
      for (let count = 0; count < 5; count++) {
        await world.comeBack(browser, name, { ...back, code: 'wrong' })
      }
      expectRefused(await world.comeBack(browser, name, back))
    })

    test("a return without a code is reported in the reader's language", async () => {
      const { state } = await world.start(browser, name, { id: '8' })
      const url = `/api/oauth/${name}?state=${state}&error=access_denied`
      expect((await browser.get(url)).message).toMatch(/"code" is missing/)
      const headers = { 'accept-language': 'zh-CN' }
      expect((await browser.get(url, { headers })).message).toBe('缺少字段“code”。')
      const long = await browser.get(`/api/oauth/${name}?state=${state}&code=${'a'.repeat(2049)}`)
      expect(long.message).toMatch(/"code".*2048/)
    })

    test('two pages of one browser may start and return in any order', async () => {
      const first = await world.start(browser, name, { id: '9' })
      const second = await world.start(browser, name, { id: '9' })
      expect((await world.comeBack(browser, name, second)).success).toBe(true)
      browser.forget('session')
      expect((await world.comeBack(browser, name, first)).success).toBe(true)
    })

    test('a session id sent by the browser is not adopted', async () => {
      const planted = 'x'.repeat(43)
      const victim = world.newBrowser(planted)
      expect((await world.signIn(name, { id: '10' }, victim)).success).toBe(true)
      expect(victim.cookie('session')).not.toBe(planted)
      expect((await world.plane.call('GET', '/api/user/self', { as: planted })).status).toBe(401)
    })

    test('an ended session neither binds nor registers', async () => {
      const person = await world.plane.addPerson()
      const ended = world.newBrowser(person.session)
      const back = await world.start(ended, name, { id: '11' })
      await logOut(person)
      expectRefused(await world.comeBack(ended, name, back))
    })
  })

  test.each([
    ['logged out', 401, logOut],
    ['banned', 200, ({ id }: Person) => setRow(world.plane, 'users', id, { status: 2 })],
  ])('a user who was %s during the exchange is not bound', async (_, status, change) => {
    const person = await world.plane.addPerson()
    const signedIn = world.newBrowser(person.session)
    const back = await world.start(signedIn, 'github', { id: '12' })
    world.github.route('/user', async () => {
      await change(person)
      return { body: { id: 12 } }
    })
    const answer = await world.comeBack(signedIn, 'github', back)
    world.github.restore()
    expect([answer.status, answer.success]).toEqual([status, false])
    expect((await readUser(world.plane, person.id)).github_id).toBe('')
  })

  test('a state of one provider is invalid for another', async () => {
    const { state } = await world.start(browser, 'github', { id: '20' })
    const { data } = await browser.get('/api/oauth/start?provider=lark')
    const { code } = world.lark.allow(String(data), { id: '20' })
    expectRefused(await world.comeBack(browser, 'lark', { code, state }))
  })

  test('the browser cookie is limited to the console and to this purpose', async () => {
    for (const url of ['/api/oauth/state', '/api/oauth/start?provider=github']) {
      const { headers } = await world.newBrowser().get(url)
      expect(String(headers['set-cookie'])).toMatch(
        /^oauth_browser=[\w-]{43}; Max-Age=900; Path=\/api\/oauth; HttpOnly; SameSite=Strict$/,
      )
    }
    const proxy = { headers: { 'x-forwarded-proto': 'https' }, address: '10.9.1.1' }
    const proxied = await world.plane.call('GET', '/api/oauth/state', proxy)
    expect(String(proxied.headers['set-cookie'])).toContain('; Secure')
  })

  test('neither states nor browsers can be read from the database', async () => {
    const { state } = await world.start(browser, 'oidc', { id: '21' })
    const { data } = await browser.get('/api/oauth/state')
    const stored = JSON.stringify(await tables())
    for (const secret of [state, String(data), browser.cookie('oauth_browser')]) {
      expect(secret).toMatch(/^[\w-]{43}$/)
      expect(stored).not.toContain(secret)
    }
  })

  test('expired states are removed', async () => {
    await browser.get('/api/oauth/state')
    world.plane.clock.now += 2 * TWENTY_MINUTES_MS
    await browser.get('/api/oauth/state')
    world.plane.clock.now -= 2 * TWENTY_MINUTES_MS
    expect(await storedRows(world.plane, 'oauth_states')).toHaveLength(1)
  })

  test('redirect addresses carry state, PKCE and the scope', async () => {
    const urls = await Promise.all(
      PROVIDERS.map(async (name) => new URL((await world.start(browser, name, { id: '22' })).url)),
    )
    const [github, oidc, lark] = urls
    expect(`${github?.origin}${github?.pathname}`).toBe(`${world.github.url}/login/oauth/authorize`)
    expect(`${oidc?.origin}${oidc?.pathname}`).toBe(`${world.oidc.url}/authorize`)
    expect(`${lark?.origin}${lark?.pathname}`).toBe(
      `${world.lark.url}/open-apis/authen/v1/authorize`,
    )
    expect(urls.join()).not.toContain(CLIENT.secret)
    for (const url of urls) {
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        client_id: CLIENT.id,
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        state: expect.stringMatching(/^[\w-]{43}$/),
      })
    }
    expect(github?.searchParams.get('scope')).toBe('user:email')
    expect(Object.fromEntries(oidc?.searchParams ?? [])).toMatchObject({
      scope: 'openid profile email',
      response_type: 'code',
      redirect_uri: `${SERVER_ADDRESS}/oauth/oidc`,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(lark?.searchParams.get('redirect_uri')).toBe(`${SERVER_ADDRESS}/oauth/lark`)
  })
})

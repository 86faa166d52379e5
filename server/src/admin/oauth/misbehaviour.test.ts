import { afterEach, describe, expect, test } from 'vitest'
import { type HttpsRoute, openHttpsServer } from '../../../testing/fakes/https-server.ts'
import { CLIENT, WECHAT_TOKEN } from '../../../testing/fakes/identity-servers.ts'
import { openOidcServer } from '../../../testing/fakes/oidc-server.ts'
import type { Answer } from '../../../testing/worlds/control-plane.ts'
import { describeWorld } from '../../../testing/worlds/describe-planes.ts'
import { openOAuthWorld } from '../../../testing/worlds/oauth-world.ts'
import { storedRows } from '../../../testing/worlds/rows.ts'

const EXCHANGES = {
  github: ['/login/oauth/access_token', '/user'],
  oidc: ['/token', '/userinfo', '/jwks', '/.well-known/openid-configuration'],
  lark: ['/open-apis/authen/v2/oauth/token', '/open-apis/authen/v1/user_info'],
} as const

const PROVIDERS = ['github', 'oidc', 'lark'] as const

const HUGE = JSON.stringify({ id: 1, filler: 'x'.repeat(300 * 1024) })

const FAULTS: [string, HttpsRoute][] = [
  ['answers 500', { status: 500, body: { error: 'server_error' } }],
  ['answers with a page', { headers: { 'content-type': 'text/html' }, body: '<html>' }],
  ['answers nothing', { body: '' }],
  ['answers with an empty object', { body: {} }],
  ['answers with a list', { body: [] }],
  ['answers far too much', { headers: { 'content-type': 'application/json' }, body: HUGE }],
  ['sends us elsewhere', { status: 302, headers: { location: 'https://127.0.0.1:1/' } }],
  ['sends us elsewhere and answers', { status: 307, headers: { location: '/x' }, body: { id: 1 } }],
  ['hangs up', (_request, response) => void response.destroy()],
]

describeWorld(openOAuthWorld, 'identity servers that misbehave', (world) => {
  /** Secrets that must not appear anywhere. */
  const secrets: string[] = [CLIENT.secret, WECHAT_TOKEN]
  const answers: Answer[] = []

  afterEach(() => {
    world.github.restore()
    world.oidc.restore()
    world.lark.restore()
  })

  const users = async () => (await storedRows(world.plane, 'users')).length

  const attempt = async (name: (typeof PROVIDERS)[number], id = '1') => {
    const browser = world.newBrowser()
    const back = await world.start(browser, name, { id })
    secrets.push(back.code, back.state)
    return async () => {
      const answer = await world.comeBack(browser, name, back)
      answers.push(answer)
      const session = browser.cookie('session')
      if (session !== undefined) secrets.push(session)
      return answer
    }
  }

  const expectUnconfirmed = (answer: Answer, reason = /did not confirm the login: ./) => {
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(reason)
    expect(answer.headers['set-cookie']).toBeUndefined()
  }

  describe.each(PROVIDERS)('%s', (name) => {
    const exchanges = EXCHANGES[name].filter((path) => !path.startsWith('/.well-known'))
    test.each(exchanges.flatMap((path) => FAULTS.map((fault) => [path, ...fault] as const)))(
      '%s %s: no login succeeds',
      async (path, _, route) => {
        if (path === '/jwks') world.plane.clock.now += 2 * 60 * 60 * 1000
        const comeBack = await attempt(name)
        const before = await users()
        world[name].route(path, route)
        expectUnconfirmed(await comeBack())
        expect(await users()).toBe(before)
      },
    )

    test('an exchange that failed once succeeds on retry', async () => {
      const comeBack = await attempt(name)
      world[name].route(EXCHANGES[name][0], { status: 500, body: {} })
      expectUnconfirmed(await comeBack())
      world[name].restore()
      expect((await comeBack()).success).toBe(true)
    })

    test("a refused code is reported in the gateway's own text", async () => {
      const browser = world.newBrowser()
      const { state } = await world.start(browser, name, { id: '1' })
      const code = `planted-${CLIENT.secret}`
      const answer = await world.comeBack(browser, name, { code, state })
      answers.push(answer)
      expectUnconfirmed(answer, /it answered (?:invalid_grant|bad_verification_code)/)
    })

    test('the PKCE verifier is sent, and checked by the server', async () => {
      const browser = world.newBrowser()
      const { url, state } = await world.start(browser, name, { id: '1' })
      const forged = new URL(url)
      forged.searchParams.set('code_challenge', 'A'.repeat(43))
      const { code } = world[name].allow(forged.href, { id: '1' })
      expectUnconfirmed(await world.comeBack(browser, name, { code, state }))
    })
  })

  test('a hanging server is abandoned after five seconds', async () => {
    const comings = await Promise.all(PROVIDERS.map((name) => attempt(name)))
    for (const name of PROVIDERS) world[name].route(EXCHANGES[name][0], () => undefined)
    world.wechat.route('/api/wechat/user', () => undefined)
    const started = performance.now()
    const [wechat, ...others] = await Promise.all([
      world.newBrowser().get('/api/oauth/wechat?code=a'),
      ...comings.map((comeBack) => comeBack()),
    ])
    expect(performance.now() - started).toBeLessThan(8000)
    for (const answer of [wechat, ...others]) {
      expectUnconfirmed(answer, /no answer within 5000 ms/)
    }
  })

  test('answers of GitHub, Lark and WeChat without an identity are refused', async () => {
    const cases: ['github' | 'lark', object][] = [
      ['github', { id: 0 }],
      ['github', { id: -5 }],
      ['github', { id: 1.5 }],
      ['github', { id: '17' }],
      ['github', { login: 'ada' }],
      ['lark', { code: 0, data: { open_id: '' } }],
      ['lark', { code: 0, data: { open_id: 'with a \0 in it' } }],
      ['lark', { code: 20005, data: { open_id: 'x' } }],
      ['lark', { code: 0, data: { open_id: 'x'.repeat(256) } }],
    ]
    for (const [name, body] of cases) {
      const comeBack = await attempt(name)
      world[name].route(EXCHANGES[name][1], { body })
      expectUnconfirmed(await comeBack(), /names no account/)
      world[name].restore()
    }
  })

  test('a code that WeChat does not know is reported, in the language of the user', async () => {
    const body = { success: false, message: `no such code: ${CLIENT.secret}` }
    world.wechat.route('/api/wechat/user', { body })
    const browser = world.newBrowser()
    const headers = { 'accept-language': 'zh' }
    const answers = [
      await browser.get('/api/oauth/wechat?code=a'),
      await browser.get('/api/oauth/wechat?code=a', { headers }),
    ]
    expect(answers.map(({ message }) => message)).toEqual([
      'WeChat did not confirm the login: its server did not accept the code, which may be wrong or too old',
      '登录验证失败（微信）：对方服务器未接受该验证码，可能有误或已过期',
    ])
  })

  test('an untrusted certificate is refused', async () => {
    const impostor = await openHttpsServer(
      { '/api/wechat/user': { body: { success: true, data: 'wx' } } },
      { isTrusted: false },
    )
    const was = world.plane.settings.current().WeChatServerAddress
    await world.set({ WeChatServerAddress: impostor.url })
    const answer = await world.newBrowser().get('/api/oauth/wechat?code=a')
    await world.set({ WeChatServerAddress: was })
    expectUnconfirmed(answer, /certificate is not valid/)
    expect(impostor.requests).toEqual([])
    await impostor.close()
  })

  describe('OpenID Connect', () => {
    const claims: [string, Record<string, unknown>][] = [
      ['another issuer', { iss: 'https://issuer.example' }],
      ['another audience', { aud: 'another-client' }],
      ['several audiences and another party', { aud: [CLIENT.id, 'b'], azp: 'b' }],
      ['another nonce', { nonce: 'A'.repeat(43) }],
      ['no nonce', { nonce: undefined }],
      ['an end that is past', { exp: Math.floor(Date.now() / 1000) - 3600 }],
      ['no subject', { sub: undefined }],
      ['another subject than the user info', { sub: 'somebody-else' }],
    ]
    test.each(claims)('an id_token with %s is refused', async (_, idToken) => {
      const comeBack = await attempt('oidc')
      const before = await users()
      world.oidc.misbehave({ idToken })
      expectUnconfirmed(await comeBack())
      expect(await users()).toBe(before)
    })

    test('an id_token signed by an unpublished key is refused', async () => {
      const comeBack = await attempt('oidc')
      world.oidc.misbehave({ strangeKey: true })
      expectUnconfirmed(await comeBack())
    })

    test('an unknown nonce is refused', async () => {
      const browser = world.newBrowser()
      const { data: state } = await browser.get('/api/oauth/state')
      const { code } = world.oidc.allow(`https://a.example/?client_id=${CLIENT.id}`, { id: '1' })
      world.oidc.misbehave({ idToken: { nonce: 'unasked' } })
      expectUnconfirmed(await world.comeBack(browser, 'oidc', { code, state: String(state) }))
    })

    test('discovery documents are cached for an hour', async () => {
      const path = '/.well-known/openid-configuration'
      world.plane.clock.now += 2 * 60 * 60 * 1000
      const before = world.oidc.requestsTo(path).length
      await Promise.all([world.signIn('oidc', { id: '1' }), world.signIn('oidc', { id: '2' })])
      expect(world.oidc.requestsTo(path).length).toBe(before + 1)
      world.plane.clock.now += 60 * 60 * 1000
      await world.signIn('oidc', { id: '1' })
      expect(world.oidc.requestsTo(path).length).toBe(before + 2)
    })

    test('a failed discovery is retried at the next start of a login', async () => {
      world.plane.clock.now += 2 * 60 * 60 * 1000
      const wrong: HttpsRoute[] = [
        ...FAULTS.map(([, route]) => route),
        { body: { issuer: 'https://issuer.example', authorization_endpoint: 'https://a.example' } },
      ]
      for (const route of wrong) {
        world.oidc.route('/.well-known/openid-configuration', route)
        expectUnconfirmed(await world.newBrowser().get('/api/oauth/start?provider=oidc'))
      }
      world.oidc.restore()
      expect((await world.signIn('oidc', { id: '1' })).success).toBe(true)
    })

    test.each(['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'])(
      'a %s without TLS beyond this machine is not used',
      async (key) => {
        world.plane.clock.now += 2 * 60 * 60 * 1000
        world.oidc.publish({ [key]: 'http://issuer.example/x' })
        const browser = world.newBrowser()
        const started = await browser.get('/api/oauth/start?provider=oidc')
        if (key === 'authorization_endpoint') return expectUnconfirmed(started, /https:/)
        const back = world.oidc.allow(String(started.data), { id: '1' })
        expectUnconfirmed(await world.comeBack(browser, 'oidc', back), /https:/)
        world.plane.clock.now += 2 * 60 * 60 * 1000
      },
    )

    test('the issuer alone suffices, also for a server that wants the secret in a header', async () => {
      const other = await openOidcServer({ auth: 'client_secret_basic' })
      await world.set({ OidcWellKnown: other.issuer })
      const browser = world.newBrowser()
      const { data } = await browser.get('/api/oauth/start?provider=oidc')
      const back = other.allow(String(data), { id: 'same-subject' })
      const answer = await world.comeBack(browser, 'oidc', back)
      await world.set({ OidcWellKnown: world.oidc.issuer })
      const here = await world.signIn('oidc', { id: 'same-subject' })
      await other.close()
      expect([answer.success, here.success]).toEqual([true, true])
      expect(here.data).not.toEqual(answer.data)
    })

    test('endpoints configured one by one log in by the user info', async () => {
      const { issuer } = world.oidc
      await world.set({
        OidcAuthorizationEndpoint: `${issuer}/authorize`,
        OidcTokenEndpoint: `${issuer}/token`,
        OidcUserinfoEndpoint: `${issuer}/userinfo`,
        OidcWellKnown: '',
      })
      const asked = world.oidc.requestsTo('/.well-known/openid-configuration').length
      const answer = await world.signIn('oidc', { id: 'plain', name: 'Plain' })
      const again = await world.signIn('oidc', { id: 'plain' })
      expect(answer.success).toBe(true)
      expect(again.data).toEqual(answer.data)
      expect(world.oidc.requestsTo('/.well-known/openid-configuration').length).toBe(asked)
      for (const path of ['/token', '/userinfo']) {
        for (const [, route] of FAULTS) {
          world.oidc.route(path, route)
          expectUnconfirmed(await world.signIn('oidc', { id: 'plain' }))
        }
        world.oidc.restore()
      }
      await world.set({ OidcTokenEndpoint: 'http://issuer.example/token' })
      expectUnconfirmed(await world.signIn('oidc', { id: 'plain' }), /https:/)
      await world.set({ OidcWellKnown: issuer })
    })
  })

  test('no secret, code, state or token was shown or logged', () => {
    const issued = [...world.github.requests, ...world.oidc.requests, ...world.lark.requests]
      .map(({ headers }) => headers.authorization?.replace(/^\w+ /, ''))
      .filter((token) => token !== undefined)
    expect(issued.length).toBeGreaterThan(5)
    expect(secrets.length).toBeGreaterThan(50)
    const told = answers.map(({ text }) => text).join('\n')
    const written = world.plane.logLines.join('\n')
    expect(written).toContain('did not confirm a login')
    for (const secret of [...secrets, ...issued]) {
      expect(told).not.toContain(secret)
      expect(written).not.toContain(secret)
    }
  })
})

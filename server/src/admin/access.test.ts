import { expect, test } from 'vitest'
import { changesState, errorText } from '@tollgate/contract'
import { everyRow } from '../../testing/harness/dump-tables.ts'
import { accessTokenOf, type Call, keyOf, tokenForm } from '../../testing/worlds/control-plane.ts'
import { describePlane } from '../../testing/worlds/describe-planes.ts'
import { changing, endpoints, guarded, pathOf } from '../../testing/worlds/endpoint-lists.ts'

const BODY_BYTES_MAX = 1024 * 1024

/** Directives no option may widen, except the one for Turnstile. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
]

/** Listed explicitly, because the cross-site check follows the contract under test. */
const CHANGING_GETS = [
  '/api/channel/test',
  '/api/channel/test/:id',
  '/api/channel/update_balance',
  '/api/channel/update_balance/:id',
  '/api/oauth/email/bind',
  '/api/oauth/github',
  '/api/oauth/lark',
  '/api/oauth/oidc',
  '/api/oauth/start',
  '/api/oauth/state',
  '/api/oauth/wechat',
  '/api/oauth/wechat/bind',
  '/api/reset_password',
  '/api/user/logout',
  '/api/user/token',
  '/api/verification',
]

const otherForm = (path: string) => (path.endsWith('/') ? path.slice(0, -1) : `${path}/`)

describePlane('access', ['user', 'root'], ({ plane, user, root }) => {
  const rows = () => everyRow(plane.database)

  test.each(guarded.filter(({ endpoint }) => endpoint.method === 'GET'))(
    '$name by HEAD is guarded the same',
    async ({ endpoint }) => {
      expect((await plane.call('HEAD', pathOf(endpoint))).status).toBe(401)
      const headers = { origin: 'https://evil.example' }
      const { status } = await plane.call('HEAD', pathOf(endpoint), { as: user, headers })
      if (changesState(endpoint)) expect(status).toBe(403)
    },
  )

  test.each(guarded.filter(({ endpoint }) => endpoint.method !== 'GET'))(
    '$name is refused before a body larger than any limit is read',
    async ({ endpoint }) => {
      const { method } = endpoint
      const bytes = Buffer.alloc(BODY_BYTES_MAX + 1, ' ')
      expect((await plane.call(method, pathOf(endpoint), { bytes })).status).toBe(401)
      const headers = { origin: 'https://evil.example' }
      const foreign = await plane.call(method, pathOf(endpoint), { as: root, bytes, headers })
      expect(foreign.status).toBe(403)
    },
  )

  test.each(changing)(
    '$name from another site is 403 and changes nothing',
    async ({ endpoint }) => {
      const before = await rows()
      const hidden = { 'user-agent': 'Mozilla/5.0 Firefox/140.0', accept: 'application/json' }
      const foreign: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'http://localhost:80', 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' },
        { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' },
        { referer: 'http://other.localhost/' },
        // Over plain HTTP, a page may hide its origin; a POST without one came from no other site.
        ...(endpoint.method === 'GET' ? [hidden] : []),
      ]
      for (const headers of foreign) {
        for (const by of [{ as: root }, {}]) {
          const answer = await plane.call(endpoint.method, pathOf(endpoint), { ...by, headers })
          expect(answer.status).toBe(403)
          expect(answer.success).toBe(false)
        }
      }
      expect(await rows()).toEqual(before)
    },
  )

  test.each(endpoints)('$name answers with and without a trailing slash', async ({ endpoint }) => {
    const path = pathOf(endpoint)
    const first = await plane.call(endpoint.method, path)
    const second = await plane.call(endpoint.method, otherForm(path))
    expect(first.status).not.toBe(404)
    expect(second.status).toBe(first.status)
    expect([second.success, second.message]).toEqual([first.success, first.message])
    // Values created per call differ.
    expect(typeof second.data).toBe(typeof first.data)
  })

  test.each(endpoints)('$name redirects to no other site', async ({ endpoint }) => {
    const path = pathOf(endpoint)
    const as = await plane.addPerson()
    const targets = ['next', 'redirect', 'redirect_uri', 'return_to', 'url']
    const query = targets.map((name) => `${name}=https://evil.example/`).join('&')
    for (const url of [`${path}?${query}`, `${path}//evil.example/`, `//evil.example${path}`]) {
      const { status, headers } = await plane.call(endpoint.method, url, { as })
      expect(Math.floor(status / 100)).not.toBe(3)
      expect(headers.location).toBeUndefined()
    }
  })

  test('every endpoint of the table is served, and nothing else under /api', () => {
    const declared = endpoints.flatMap(({ endpoint: { method, path } }) =>
      (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((one) => `${one} ${path}`),
    )
    const document = ['/api/openapi.json', '/api/docs'].flatMap((path) => [
      `GET ${path}`,
      `HEAD ${path}`,
    ])
    const slashless = (route: string) => route.replace(/\/$/, '')
    const served = plane.routes().filter((route) => route.includes(' /api'))
    expect(served.map(slashless).toSorted()).toEqual(
      [...declared, ...document].map(slashless).toSorted(),
    )
  })

  test('no name of the table occurs twice', () => {
    const names = endpoints.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  test('each GET that changes state is marked as one', () => {
    const gets = changing.filter(({ endpoint }) => endpoint.method === 'GET')
    expect(gets.map(({ endpoint }) => endpoint.path).toSorted()).toEqual(CHANGING_GETS)
  })

  test('a page of the console may change state', async () => {
    const own = [
      {},
      { origin: 'http://localhost:80' },
      { referer: 'http://localhost:80/token' },
      { accept: 'text/html, image/gif, image/jpeg, */*; q=.2', 'user-agent': 'Java/21' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' },
      { 'sec-fetch-site': 'none' },
    ]
    for (const headers of own) {
      const options = { as: user, body: tokenForm, headers }
      expect((await plane.call('POST', '/api/token/', options)).success).toBe(true)
    }
  })

  test('once the server address is set, no other name is an own origin', async () => {
    const logIn = (host: string, origin = `http://${host}`) =>
      plane.call('POST', '/api/user/login', {
        body: { username: user.username, password: 'a password' },
        headers: { host, origin, 'sec-fetch-site': 'same-origin' },
      })
    const rebound = 'rebind.example:3000'
    await plane.setOption('ServerAddress', '')
    expect((await logIn(rebound)).status).toBe(200)
    await plane.setOption('ServerAddress', 'https://gate.example')
    const elsewhere = { address: 'https://gate.example', option: 'ServerAddress' }
    const refused = await logIn(rebound)
    expect([refused.status, refused.message]).toEqual([
      403,
      errorText('console_elsewhere', elsewhere, 'en'),
    ])
    const others = ['gate.example', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000', '10.1.2.3']
    for (const host of others) expect((await logIn(host)).status, host).toBe(200)
    // A proxy that does not forward the host.
    expect((await logIn('tollgate:3000', 'https://gate.example')).status).toBe(200)
  })

  test("over plain HTTP, a page at another address than the configured one learns the console's address", async () => {
    const comeFrom = async (headers: Record<string, string>) => {
      const body = { username: user.username, password: 'a password' }
      const sent = { host: 'tollgate.lan:3000', 'accept-language': 'zh', ...headers }
      const { status, message } = await plane.call('POST', '/api/user/login', {
        body,
        headers: sent,
      })
      return [status, message]
    }
    const elsewhere = { address: 'https://gate.example', option: 'ServerAddress' }
    const origin = 'http://tollgate.lan:3000'
    expect(await comeFrom({ origin })).toEqual([
      403,
      errorText('console_elsewhere', elsewhere, 'zh'),
    ])
    const foreign = [403, errorText('foreign_origin', {}, 'zh')]
    expect(await comeFrom({ origin: 'http://evil.example' })).toEqual(foreign)
    expect(await comeFrom({ origin, 'sec-fetch-dest': 'document' })).toEqual(foreign)
  })

  test('an access token alone may come with any origin, and lifts no check of a session', async () => {
    const headers = { origin: 'https://evil.example', authorization: accessTokenOf(user) }
    const send = (call: Call) =>
      plane.call('POST', '/api/token/', { body: tokenForm, headers, ...call })
    expect((await send({})).success).toBe(true)
    expect((await send({ as: user })).status).toBe(403)
  })

  test('proxy credentials sent by a browser authenticate no request from another site', async () => {
    const headers = { authorization: 'Basic eDp5', origin: 'https://evil.example' }
    const body = { username: user.username, password: 'a password' }
    for (const answer of [
      await plane.call('POST', '/api/user/login', { body, headers }),
      await plane.call('GET', '/api/oauth/state', { headers }),
    ]) {
      expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
    }
  })

  test('the session takes precedence over an access token', async () => {
    const headers = { authorization: accessTokenOf(root) }
    const answer = await plane.call('GET', '/api/user/self', { as: user, headers })
    expect(answer.data).toMatchObject({ id: user.id })
  })

  test('a relay key is no access token', async () => {
    const created = await plane.call('POST', '/api/token/', { as: root, body: tokenForm })
    const key = keyOf(created)
    for (const authorization of [key, `Bearer sk-${key}`]) {
      const answer = await plane.call('GET', '/api/user/self', { headers: { authorization } })
      expect(answer.success).toBe(false)
    }
  })

  test('an expired session is 401', async () => {
    const late = await plane.addPerson()
    plane.clock.now += 1_000_000
    expect((await plane.call('GET', '/api/user/self', { as: late })).status).toBe(401)
    plane.clock.now -= 1_000_000
  })

  test('only a browser that came by TLS receives Strict-Transport-Security', async () => {
    const hsts = async (headers: Record<string, string>, address = '10.9.0.1') =>
      (await plane.call('GET', '/api/status', { headers, address })).headers[
        'strict-transport-security'
      ]
    expect(await hsts({ 'x-forwarded-proto': 'https' })).toBe('max-age=15552000')
    expect(await hsts({ 'x-forwarded-proto': 'http' })).toBeUndefined()
    expect(await hsts({ 'x-forwarded-proto': 'https' }, '203.0.113.5')).toBeUndefined()
  })

  test('every answer carries its own request id and the security headers', async () => {
    const ids = new Set<unknown>()
    const paths = ['/api/status', '/api/user/self', '/api/none', '/api/%zz', '/', '/somewhere']
    for (const path of paths) {
      const { headers } = await plane.call('GET', path)
      ids.add(headers['x-oneapi-request-id'])
      expect(headers).toMatchObject({
        'x-oneapi-request-id': expect.stringMatching(/^\d{25,31}$/),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'cross-origin-opener-policy': 'same-origin',
      })
      const policy = String(headers['content-security-policy']).split('; ')
      expect(policy).toEqual(expect.arrayContaining(POLICY))
    }
    expect(ids.size).toBe(paths.length)
  })
})

import { expect, test } from 'vitest'
import { changesState, type Endpoint, errorText } from '@tollgate/contract'
import { everyRow } from '../../testing/harness/dump-tables.ts'
import { accessTokenOf, keyOf, tokenForm } from '../../testing/worlds/control-plane.ts'
import { describePlane } from '../../testing/worlds/describe-planes.ts'
import { changing, endpoints, guarded } from '../../testing/worlds/endpoint-lists.ts'
import { setRow } from '../../testing/worlds/rows.ts'

const adminOnly = guarded.filter(({ endpoint }) => endpoint.access !== 'user')

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

const pathOf = ({ path }: Endpoint) => path.replace(':id', '999999')

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

  test.each(guarded)('$name with an unknown session is 401', async ({ endpoint }) => {
    const as = 'A'.repeat(43)
    expect((await plane.call(endpoint.method, pathOf(endpoint), { as })).status).toBe(401)
  })

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

  test.each(guarded)(
    '$name with an unknown access token is refused in the envelope',
    async ({ endpoint }) => {
      const headers = { authorization: 'Bearer nobody-has-this' }
      const answer = await plane.call(endpoint.method, pathOf(endpoint), { headers })
      expect([answer.status, answer.success]).toEqual([200, false])
      expect(answer.message).toMatch(/access token/)
    },
  )

  test.each(adminOnly)('$name is refused to an ordinary access token', async ({ endpoint }) => {
    const headers = { authorization: accessTokenOf(user) }
    const answer = await plane.call(endpoint.method, pathOf(endpoint), { headers })
    expect([answer.status, answer.success]).toEqual([200, false])
  })

  test.each(changing)(
    '$name from another site is 403 and changes nothing',
    async ({ endpoint }) => {
      const before = await rows()
      const foreign: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'http://localhost:80', 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' },
        { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' },
        { referer: 'http://other.localhost/' },
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

  test.each(changing.filter(({ endpoint }) => endpoint.method === 'GET'))(
    '$name from a page that hides its origin, over plain HTTP, is 403',
    async ({ endpoint }) => {
      const headers = { 'user-agent': 'Mozilla/5.0 Firefox/140.0', accept: 'application/json' }
      for (const by of [{ as: root }, {}]) {
        const { status } = await plane.call('GET', pathOf(endpoint), { ...by, headers })
        expect(status).toBe(403)
      }
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

  test('each GET that changes state is marked as one', () => {
    const gets = changing.filter(({ endpoint }) => endpoint.method === 'GET')
    expect(gets.map(({ endpoint }) => endpoint.path).toSorted()).toEqual(CHANGING_GETS)
  })

  test('no name and no path of the table occurs twice', () => {
    const names = endpoints.map(({ name }) => name)
    const paths = endpoints.map(({ endpoint: { method, path } }) => `${method} ${path}`)
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(paths).size).toBe(paths.length)
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

  test('the server address of the options is an own origin', async () => {
    await plane.setOption('ServerAddress', 'https://gate.example')
    const headers = { origin: 'https://gate.example' }
    const answer = await plane.call('POST', '/api/token/', { as: user, body: tokenForm, headers })
    expect(answer.success).toBe(true)
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
    const comeFrom = async (host: string, headers: Record<string, string>) => {
      const body = { username: user.username, password: 'a password' }
      const sent = { body, headers: { host, ...headers } }
      const { status, message } = await plane.call('POST', '/api/user/login', sent)
      return [status, message]
    }
    const elsewhere = { address: 'https://gate.example', option: 'ServerAddress' }
    const told = [403, errorText('console_elsewhere', elsewhere, 'zh')]
    const chinese = { 'accept-language': 'zh' }
    const page = { origin: 'http://tollgate.lan:3000', ...chinese }
    expect(await comeFrom('tollgate.lan:3000', page)).toEqual(told)
    const foreign = [403, errorText('foreign_origin', {}, 'zh')]
    const evil = { origin: 'http://evil.example', ...chinese }
    expect(await comeFrom('tollgate.lan:3000', evil)).toEqual(foreign)
    expect(await comeFrom('tollgate.lan:3000', { ...page, 'sec-fetch-dest': 'document' })).toEqual(
      foreign,
    )
  })

  test('a call by access token may come with any origin', async () => {
    const headers = {
      origin: 'https://evil.example',
      authorization: `Bearer ${accessTokenOf(user)}`,
    }
    const answer = await plane.call('POST', '/api/token/', { body: tokenForm, headers })
    expect(answer.success).toBe(true)
  })

  test('an access token in addition to a session does not lift the origin check', async () => {
    const headers = {
      origin: 'https://evil.example',
      authorization: accessTokenOf(user),
    }
    const answer = await plane.call('POST', '/api/token/', { as: user, body: tokenForm, headers })
    expect(answer.status).toBe(403)
  })

  test('proxy credentials sent by a browser authenticate no request from another site', async () => {
    const headers = { authorization: 'Basic eDp5', origin: 'https://evil.example' }
    const body = { username: user.username, password: 'a password' }
    const logIn = await plane.call('POST', '/api/user/login', { body, headers })
    const begin = await plane.call('GET', '/api/oauth/state', { headers })
    expect([logIn.status, begin.status]).toEqual([403, 403])
    expect([logIn.headers['set-cookie'], begin.headers['set-cookie']]).toEqual([
      undefined,
      undefined,
    ])
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

  test('a banned owner of an access token receives the reason, in the envelope', async () => {
    const banned = await plane.addPerson()
    await setRow(plane, 'users', banned.id, { status: 2 })
    const headers = { authorization: accessTokenOf(banned) }
    const answer = await plane.call('GET', '/api/user/self', { headers })
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(/banned/)
  })

  test('an expired session is 401', async () => {
    const late = await plane.addPerson()
    plane.clock.now += 1_000_000
    expect((await plane.call('GET', '/api/user/self', { as: late })).status).toBe(401)
    plane.clock.now -= 1_000_000
  })

  test('an unknown path under /api has the body OpenAI clients read', async () => {
    for (const path of ['/api/none', '/api/user/1/2', '/api/%zz', '/api']) {
      const answer = await plane.call('GET', path, { as: root })
      expect(answer.status).toBe(404)
      expect(answer['error']).toMatchObject({
        message: `Invalid URL (GET ${path})`,
        type: 'invalid_request_error',
      })
    }
    expect((await plane.call('POST', '/api/status')).status).toBe(404)
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

  test('every answer carries a request id and the security headers', async () => {
    const paths = ['/api/status', '/api/user/self', '/api/none', '/api/%zz', '/somewhere']
    for (const path of paths) {
      const { headers } = await plane.call('GET', path)
      expect(headers['x-oneapi-request-id']).toMatch(/^\d{23,31}$/)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'cross-origin-opener-policy': 'same-origin',
      })
      const policy = String(headers['content-security-policy']).split('; ')
      expect(policy).toEqual(expect.arrayContaining(POLICY))
    }
  })
})

import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { ROLE, TOKEN_STATUS } from '@tollgate/contract'
import { type Call, idOf, type Person, tokenForm } from '../../testing/worlds/control-plane.ts'
import { describePlane } from '../../testing/worlds/describe-planes.ts'

const WINDOW_MS = 180_000

describePlane('what clients of this family expect of /api', [], ({ plane }) => {
  let root: Person

  beforeAll(async () => {
    root = await plane.addPerson(ROLE.root, 1000)
  })

  test('invalid JSON for an option is 400 in the envelope, and other bodies stay 200', async () => {
    for (const path of ['/api/option/', '/api/option']) {
      for (const bytes of ['', '{', 'x', Buffer.from([0xff])]) {
        const answer = await plane.call('PUT', path, { as: root, bytes })
        expect([answer.status, answer.success]).toEqual([400, false])
        expect(answer.message).toContain('JSON')
      }
    }
    const answer = await plane.call('PUT', '/api/option/', { as: root, bytes: '{}' })
    expect([answer.status, answer.success]).toEqual([200, false])
    const other = await plane.call('POST', '/api/user/login', { bytes: '{' })
    expect([other.status, other.success]).toEqual([200, false])
  })

  test('a fixed word in a path is not taken for an id', async () => {
    for (const path of ['/api/user/search', '/api/token/search', '/api/user/self']) {
      expect((await plane.call('GET', path, { as: root })).success, path).toBe(true)
      expect((await plane.call('GET', `${path}/`, { as: root })).success, path).toBe(true)
    }
  })

  test.each([
    ['GET', '/api'],
    ['GET', '/api/'],
    ['GET', '/api/nothing'],
    ['GET', '/api/user/self/nothing'],
    ['POST', '/api/status'],
    ['DELETE', '/api/status'],
    ['PATCH', '/api/user/self'],
    ['OPTIONS', '/api/user/self'],
    ['PUT', '/v1/nothing'],
  ] as const)("%s %s is 404 in OpenAI's format, never 405", async (method, path) => {
    const { status, text, headers } = await plane.call(method, `${path}?q=1`)
    expect(status).toBe(404)
    expect(JSON.parse(text)).toEqual({
      error: {
        message: `Invalid URL (${method} ${path})`,
        type: 'invalid_request_error',
        param: '',
        code: '',
      },
    })
    expect(headers['x-oneapi-request-id']).toMatch(/^\d{25,31}$/)
  })

  test('every answer has its own request id', async () => {
    const ids = new Set<unknown>()
    for (const path of ['/api/status', '/api/user/self', '/api/nothing', '/', '/token', '/api/%']) {
      const { headers } = await plane.call('GET', path)
      expect(headers['x-oneapi-request-id'], path).toMatch(/^\d{25,31}$/)
      ids.add(headers['x-oneapi-request-id'])
    }
    expect(ids.size).toBe(6)
  })

  test('no page of another site may read an answer', async () => {
    const headers = { origin: 'https://other.example', 'access-control-request-method': 'GET' }
    for (const path of ['/api/status', '/api/user/self', '/api/nothing']) {
      for (const method of ['GET', 'OPTIONS'] as const) {
        const names = Object.keys((await plane.call(method, path, { headers })).headers)
        expect(names.filter((name) => name.startsWith('access-control'))).toEqual([])
      }
    }
  })

  test('unknown fields are ignored', async () => {
    const body = { ...tokenForm, auto_ban: 1, groups: ['a'], deleted: false, model_limits: {} }
    const answer = await plane.call('POST', '/api/token/', { as: root, body })
    expect(answer.success, answer.message).toBe(true)
    const edit = { id: idOf(answer), status: TOKEN_STATUS.disabled, nonsense: [1] }
    const edited = await plane.call('PUT', '/api/token/?status_only=true', { as: root, body: edit })
    expect(edited.success, edited.message).toBe(true)
  })

  test('values nested too deeply are refused, and are no error of the server', async () => {
    const list = `${'['.repeat(15_000)}${']'.repeat(15_000)}`
    const bytes = `{"ticket":"x","response":{"id":"x","more":${list}}}`
    const answer = await plane.call('POST', '/api/user/login/passkey', { bytes })
    expect(answer).toMatchObject({ status: 200, success: false })
    expect(answer.message).toContain('nested too deeply')
  })

  test('401 means neither a session nor an access token was sent', async () => {
    expect((await plane.call('GET', '/api/user/self')).status).toBe(401)
    const headers = { authorization: 'Bearer nobody' }
    expect((await plane.call('GET', '/api/user/self', { headers })).status).toBe(200)
  })

  test('a longer answer is compressed for clients that accept gzip, a short one is not', async () => {
    await plane.setOption('About', '我们的服务。'.repeat(200))
    const url = await plane.listen()
    const plain = await get(`${url}/api/about`, {})
    const packed = await get(`${url}/api/about`, { 'accept-encoding': 'br, gzip' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(packed.headers.vary).toContain('accept-encoding')
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true)
    expect(packed.body.length).toBeLessThan(plain.body.length)
    const short = await get(`${url}/api/notice`, { 'accept-encoding': 'gzip' })
    expect(short.headers['content-encoding']).toBeUndefined()
  })

  test('the encoding of a request body is ignored', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const bytes = '{"username":"nobody","password":"x"}'
    const answer = await plane.call('POST', '/api/user/login', { bytes, headers })
    expect(answer.message).toMatch(/Wrong username or password/)
  })

  describe('with a limit of calls', () => {
    const from = (address: string, path = '/api/status', headers: Record<string, string> = {}) =>
      plane.call('GET', path, { address, headers })

    test('one address may make a number of calls in three minutes, for all paths together', async () => {
      await plane.setOption('GlobalApiRateLimit', '3')
      const address = '198.51.100.7'
      expect((await from(address)).status).toBe(200)
      expect((await from(address, '/api/user/self')).status).toBe(401)
      expect((await from(address, '/api/nothing')).status).toBe(404)
      const refused = await plane.call('GET', '/%61pi/user/self', {
        address,
        as: await plane.addPerson(),
        headers: { 'accept-language': 'zh' },
      })
      expect([refused.status, refused.success]).toEqual([429, false])
      expect(refused.message).toContain('180')
      expect(refused.headers['retry-after']).toBe('180')
      expect(refused.headers['x-oneapi-request-id']).toMatch(/^\d+$/)
      expect((await from(address, '/')).status).toBe(200)
      expect((await from('198.51.100.8')).status).toBe(200)
      plane.clock.now += WINDOW_MS
      expect((await from(address)).status).toBe(200)
    })

    test('a /64 of IPv6 is one address', async () => {
      for (const end of ['1', '2', '3']) expect((await from(`2001:db8::${end}`)).status).toBe(200)
      expect((await from('2001:db8::4')).status).toBe(429)
      expect((await from('2001:db8:0:1::4')).status).toBe(200)
    })

    test('a forwarded address counts only if a trusted proxy sends it', async () => {
      const told = (proxy: string, client: string) =>
        from(proxy, '/api/status', { 'x-forwarded-for': client })
      for (const last of [1, 2, 3, 4]) {
        expect((await told('10.9.0.1', `192.0.2.${last}`)).status).toBe(200)
      }
      const statuses = []
      for (const last of [1, 2, 3, 4]) {
        statuses.push((await told('203.0.113.9', `192.0.2.${last}`)).status)
      }
      expect(statuses).toEqual([200, 200, 200, 429])
    })

    test('pages of other sites use up no calls', async () => {
      const address = '198.51.100.30'
      const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }
      for (const each of [1, 2, 3]) {
        expect((await from(address, '/api/status', image)).status, `${each}`).toBe(200)
      }
      expect((await from(address, '/api/status', image)).status).toBe(429)
      const neighbour = { 'sec-fetch-site': 'same-site' }
      expect((await from(address, '/api/status', neighbour)).status).toBe(429)
      expect((await from(address)).status).toBe(200)
    })

    test('logged-in callers are counted by account', async () => {
      const address = '198.51.100.31'
      const person = await plane.addPerson()
      const self = (options: Call = {}) =>
        plane.call('GET', '/api/user/self', { address, as: person, ...options })
      expect((await self()).status).toBe(200)
      for (const each of [1, 2]) expect((await from(address)).status, `${each}`).toBe(200)
      expect((await from(address)).status).toBe(429)
      for (const each of [1, 2]) expect((await self()).status, `${each}`).toBe(200)
      expect((await self({ address: '198.51.100.32' })).status).toBe(200)
      expect((await self({ address: '198.51.100.33' })).status).toBe(429)
    })

    test.each(['same-site', 'cross-site'])(
      'a %s page uses up no calls of an account',
      async (site) => {
        const person = await plane.addPerson()
        const address = `198.51.100.${site.length + 100}`
        const statusOf = async (headers = {}) =>
          (await plane.call('GET', '/api/user/self', { address, as: person, headers })).status
        expect(await statusOf()).toBe(200)
        const foreign = { 'sec-fetch-site': site }
        for (const expected of [200, 200, 200, 429]) {
          expect(await statusOf(foreign)).toBe(expected)
        }
        expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 200])
        expect(await statusOf()).toBe(429)
      },
    )

    test('an invalid credential is counted by address', async () => {
      const address = '198.51.100.34'
      const guess = (at: number) =>
        plane.call('GET', '/api/user/self', {
          address,
          headers: { authorization: `Bearer guess-${at}` },
        })
      for (const at of [1, 2, 3]) expect((await guess(at)).status).toBe(200)
      expect((await guess(4)).status).toBe(429)
    })

    test('an ended session is counted by address again', async () => {
      const address = '198.51.100.35'
      const person = await plane.addPerson()
      const self = () => plane.call('GET', '/api/user/self', { address, as: person })
      expect((await self()).status).toBe(200)
      await plane.call('GET', '/api/user/logout', { as: person })
      expect((await self()).status).toBe(401)
      for (const each of [1, 2]) expect((await self()).status, `${each}`).toBe(401)
      expect((await self()).status).toBe(429)
    })

    test('a change applies immediately, and 0 means no limit', async () => {
      const address = '198.51.100.20'
      for (const each of [1, 2, 3]) expect((await from(address)).status, `${each}`).toBe(200)
      expect((await from(address)).status).toBe(429)
      await plane.setOption('GlobalApiRateLimit', '4')
      expect((await from(address)).status).toBe(200)
      expect((await from(address)).status).toBe(429)
      await plane.setOption('GlobalApiRateLimit', '0')
      const calls = Array.from({ length: 20 }, () => from(address))
      for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
    })
  })
})

async function get(url: string, headers: Record<string, string>) {
  const request = httpRequest(url, { headers, agent: false }).end()
  const [response] = await once(request, 'response')
  return { headers: response.headers, body: await buffer(response) }
}

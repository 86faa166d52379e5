import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Person } from '../../testing/worlds/control-plane.ts'
import { describePlane } from '../../testing/worlds/describe-planes.ts'

const WINDOW_MS = 180_000

describePlane('what clients of this family expect of /api', ['root'], ({ plane, root }) => {
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
    ['GET', '/api/%zz'],
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

  test('no page of another site may read an answer', async () => {
    const headers = { origin: 'https://other.example', 'access-control-request-method': 'GET' }
    for (const path of ['/api/status', '/api/user/self', '/api/nothing']) {
      for (const method of ['GET', 'OPTIONS'] as const) {
        const names = Object.keys((await plane.call(method, path, { headers })).headers)
        expect(names.filter((name) => name.startsWith('access-control'))).toEqual([])
      }
    }
  })

  test('values nested too deeply are refused, and are no error of the server', async () => {
    const list = `${'['.repeat(15_000)}${']'.repeat(15_000)}`
    const bytes = `{"ticket":"x","response":{"id":"x","more":${list}}}`
    const answer = await plane.call('POST', '/api/user/login/passkey', { bytes })
    expect(answer).toMatchObject({ status: 200, success: false })
    expect(answer.message).toContain('nested too deeply')
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

  describe('with a limit of calls', () => {
    const from = (address: string, path = '/api/status', headers: Record<string, string> = {}) =>
      plane.call('GET', path, { address, headers })

    const statusesOf = async (times: number, ask: (at: number) => Promise<{ status: number }>) => {
      const statuses = []
      for (let at = 1; at <= times; at++) statuses.push((await ask(at)).status)
      return statuses
    }

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
      const statuses = await statusesOf(4, (end) => from(`2001:db8::${end}`))
      expect(statuses).toEqual([200, 200, 200, 429])
      expect((await from('2001:db8:0:1::4')).status).toBe(200)
    })

    test('a forwarded address counts only if a trusted proxy sends it', async () => {
      const through = (proxy: string) =>
        statusesOf(4, (last) =>
          from(proxy, '/api/status', { 'x-forwarded-for': `192.0.2.${last}` }),
        )
      expect(await through('10.9.0.1')).toEqual([200, 200, 200, 200])
      expect(await through('203.0.113.9')).toEqual([200, 200, 200, 429])
    })

    test('pages of other sites use up no calls', async () => {
      const address = '198.51.100.30'
      const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }
      const statuses = await statusesOf(4, () => from(address, '/api/status', image))
      expect(statuses).toEqual([200, 200, 200, 429])
      const neighbour = { 'sec-fetch-site': 'same-site' }
      expect((await from(address, '/api/status', neighbour)).status).toBe(429)
      expect((await from(address)).status).toBe(200)
    })

    const selfOf = (as: Person, address: string, headers: Record<string, string> = {}) =>
      plane.call('GET', '/api/user/self', { as, address, headers })

    test('logged-in callers are counted by account', async () => {
      const address = '198.51.100.31'
      const person = await plane.addPerson()
      expect((await selfOf(person, address)).status).toBe(200)
      expect(await statusesOf(3, () => from(address))).toEqual([200, 200, 429])
      const elsewhere = (at: number) => selfOf(person, at < 3 ? address : `198.51.100.3${at}`)
      expect(await statusesOf(4, elsewhere)).toEqual([200, 200, 200, 429])
    })

    test.each(['same-site', 'cross-site'])(
      'a %s page uses up no calls of an account',
      async (site) => {
        const person = await plane.addPerson()
        const address = `198.51.100.${site.length + 100}`
        const foreign = { 'sec-fetch-site': site }
        expect((await selfOf(person, address)).status).toBe(200)
        const byPages = await statusesOf(4, () => selfOf(person, address, foreign))
        expect(byPages).toEqual([200, 200, 200, 429])
        const own = await statusesOf(4, () => selfOf(person, address))
        expect(own).toEqual([200, 200, 200, 429])
      },
    )

    test('an invalid credential, and an ended session, are counted by address', async () => {
      const guess = (at: number) =>
        from('198.51.100.34', '/api/user/self', { authorization: `Bearer guess-${at}` })
      expect(await statusesOf(4, guess)).toEqual([200, 200, 200, 429])
      const address = '198.51.100.35'
      const person = await plane.addPerson()
      expect((await selfOf(person, address)).status).toBe(200)
      await plane.call('GET', '/api/user/logout', { as: person })
      const ended = await statusesOf(4, () => selfOf(person, address))
      expect(ended).toEqual([401, 401, 401, 429])
    })

    test('a change applies immediately, and 0 means no limit', async () => {
      const address = '198.51.100.20'
      expect(await statusesOf(4, () => from(address))).toEqual([200, 200, 200, 429])
      await plane.setOption('GlobalApiRateLimit', '4')
      expect(await statusesOf(2, () => from(address))).toEqual([200, 429])
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

import { expect, test } from 'vitest'
import { errorText } from '@tollgate/contract'
import { everyRow } from '../../testing/harness/dump-tables.ts'
import { describePlane } from '../../testing/worlds/describe-planes.ts'
import { withBody } from '../../testing/worlds/endpoint-lists.ts'
import { hasTooManyValues } from '../http/read-input.ts'

const BYTES_MAX = {
  public: 32 * 1024,
  user: 128 * 1024,
  admin: 1024 * 1024,
  root: 1024 * 1024,
} as const

const NONSENSE: [string, string | Buffer][] = [
  ['nothing', ''],
  ['no JSON', '{"username": '],
  ['two values', '{} {}'],
  ['NaN', '{"id":NaN,"quota":NaN}'],
  ['a number beyond all', '{"id":1e999,"quota":1e999,"remain_quota":1e999,"key":"x"}'],
  ['an array', '[{"id":1}]'],
  ['null', 'null'],
  ['a text', '"id"'],
  ['arrays for values', '{"id":[1],"username":["x"],"password":[],"name":[],"key":[],"action":[]}'],
  ['objects for values', '{"id":{},"username":{},"display_name":{},"name":{},"key":{},"value":{}}'],
  ['a prototype', '{"__proto__":{"id":1,"name":"x"},"constructor":{"prototype":{"role":100}}}'],
  ['deep nesting', `{"display_name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ['nesting without end', `{"id":${'['.repeat(500_000)}`],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['half a character', '{"id":999999,"username":"\\ud800","name":"\\ud800","key":"\\ud800"}'],
  [
    'NUL',
    '{"id":999999,"username":"a\\u0000b","name":"a\\u0000","key":"a\\u0000","value":"\\u0000"}',
  ],
]

describePlane('bad input', ['root'], ({ plane, root }) => {
  /**
   * Excludes the change counter, which an empty profile edit increments, and attempts, which always
   * count.
   */
  const everything = async () => ({ ...(await everyRow(plane.database)), meta: [], attempts: [] })

  /** Every field of these bodies is optional, and unknown fields are ignored. */
  const EMPTY_IS_FINE = ['updateSelf', 'beginPasskeySignIn', 'findPriceLosses']

  test.each(withBody)('$name accepts nonsense without harm', async ({ name, endpoint }) => {
    // A challenge requested without a ticket is stored.
    const ignored = name === 'beginPasskeySignIn' ? { auth_tickets: [] } : {}
    const before = { ...(await everything()), ...ignored }
    for (const [what, bytes] of NONSENSE) {
      const answer = await plane.call(endpoint.method, endpoint.path, { as: root, bytes })
      const isTooLarge = bytes.length > BYTES_MAX[endpoint.access]
      if (isTooLarge || hasTooManyValues(Buffer.from(bytes))) {
        expect([answer.status, answer.success], what).toEqual([413, false])
        continue
      }
      const isMalformed = answer.message === errorText('malformed_json', {}, 'en')
      const { malformedBodyStatus = 200 } = endpoint.parts
      expect(answer.status, what).toBe(isMalformed ? malformedBodyStatus : 200)
      const isEmpty = EMPTY_IS_FINE.includes(name)
      expect(answer.success, `${what}: ${answer.message}`).toBe(isEmpty && answer.success)
      expect((answer.message ?? '').length, what).toBeLessThan(500)
    }
    expect({ ...(await everything()), ...ignored }).toEqual(before)
    expect(plane.logLines.join('')).not.toContain('"level":50')
  })

  test.each([
    ['strangers', '/api/user/login', BYTES_MAX.public],
    ['anybody', '/api/token/', BYTES_MAX.user],
    ['administrators', '/api/redemption/', BYTES_MAX.admin],
    ['paths that do not exist', '/nowhere', BYTES_MAX.public],
  ])('a body beyond the limit of %s is 413 and names the limit', async (_who, path, most) => {
    const bytes = `{"name":"${'x'.repeat(most)}"}`
    const answer = await plane.call('POST', path, { as: root, bytes })
    expect([answer.status, answer.success]).toEqual([413, false])
    expect(answer.message).toContain(String(most))
    const within = await plane.call('POST', path, { as: root, bytes: bytes.slice(-most) })
    expect(within.status).not.toBe(413)
  })

  test('JSON is read whatever the type and the encoding that a request names', async () => {
    const bytes = '{"username":"nobody","password":"x"}'
    const form = 'application/x-www-form-urlencoded'
    const types = ['text/plain', form, ';;;', 'multipart/form-data', '']
    const all = types.map((type): Record<string, string> => ({ 'content-type': type }))
    for (const headers of [...all, { 'content-encoding': 'gzip' }]) {
      const answer = await plane.call('POST', '/api/user/login', { bytes, headers })
      expect(answer.message, JSON.stringify(headers)).toMatch(/Wrong username or password/)
    }
  })

  test('a keyword is one text of bounded length', async () => {
    for (const query of ['keyword=a&keyword=b', `keyword=${'x'.repeat(201)}`, 'keyword=%00']) {
      const answer = await plane.call('GET', `/api/user/search?${query}`, { as: root })
      expect([answer.status, answer.success], query).toEqual([200, false])
      expect(answer.message).toContain('keyword')
    }
  })

  test('answers are never cached, however the path is written', async () => {
    for (const path of ['/api/user/self', '/%61pi/user/self/', '/api/user/%73elf?x=/a.css']) {
      const { success, headers } = await plane.call('GET', path, { as: root })
      expect([success, headers['cache-control']], path).toEqual([true, 'no-store'])
      expect((await plane.call('GET', path)).headers['cache-control'], path).toBe('no-store')
    }
  })

  test('a cookie of any shape is no session', async () => {
    const values = ['session=', 'session=x', `session=${'x'.repeat(8000)}`, 'session=%ff', ';;=']
    for (const cookie of values) {
      const answer = await plane.call('GET', '/api/user/self', { headers: { cookie } })
      expect(answer.status, cookie).toBe(401)
    }
  })

  test('an Authorization header of any shape is no access token', async () => {
    const unknown = ['Bearer nobody-has-this', 'x'.repeat(8000), '\u00ff']
    const values = ['Bearer', 'Bearer ', 'Basic cm9vdDox', ...unknown]
    for (const authorization of values) {
      const answer = await plane.call('GET', '/api/user/self', { headers: { authorization } })
      expect([answer.status, answer.success], authorization).toEqual([200, false])
      expect(answer.message, authorization).toMatch(/access token/)
    }
  })
})

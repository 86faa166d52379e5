import { describe, expect, test } from 'vitest'
import { callTo } from '../../streams/testing/call-to.ts'
import { PASSED, passedUnchanged } from '../../streams/testing/decode-whole.ts'
import { baiduCodec } from './codec.ts'

test('a lone surrogate in a model name does not break the address', () => {
  const { url } = baiduCodec.encode(callTo({ key: 'access_token=24.b', model: 'a\ud800' }))
  expect(url).toMatch(/\/wenxinworkshop\/chat\/a%EF%BF%BD\?access_token=24\.b$/)
})

describe('the exchange of a key for a token', () => {
  /** Vectors, section "Baidu access-token exchange". */
  const KEY = '0123456789abcdef01234567|fedcba9876543210fedcba9876543210'
  const { tokenExchange } = baiduCodec
  const now = 1_735_689_600_000
  const read = (body: string) => tokenExchange.readToken(Buffer.from(body), now)

  test('sends the documented request', () => {
    expect(tokenExchange.tokenRequest({ baseUrl: '', key: KEY })).toEqual({
      url: 'https://aip.baidubce.com/oauth/2.0/token?grant_type=client_credentials&client_id=0123456789abcdef01234567&client_secret=fedcba9876543210fedcba9876543210',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
      },
      body: Buffer.alloc(0),
    })
  })

  test.each([
    ['{"access_token":"a","expires_in":600}', 300],
    ['{"access_token":"a"}', 0],
  ])('with %s holds for %i seconds', (body, seconds) => {
    expect(read(body)?.expiresAt).toBe(now + seconds * 1000)
  })

  test.each(['{"access_token":""}', String.raw`{"access_token":"\ud800"}`, '[]', '<html>'])(
    'yields nothing for %s',
    (body) => expect(read(body)).toBeNull(),
  )

  test('is attempted with the rest of a broken key, which Baidu refuses', () => {
    const { url } = tokenExchange.tokenRequest({ baseUrl: '', key: 'a\ud800|b' })
    expect(url).toMatch(/client_id=a%EF%BF%BD&client_secret=b$/)
  })

  test.each(['a|', '|b', 'a|b|c'])('is not attempted with %s', (key) => {
    expect(() => tokenExchange.tokenRequest({ baseUrl: '', key })).toThrow('APIKey|SecretKey')
  })

  test.each([
    [KEY, true],
    ['bce-v3/ALTAK-a/b', false],
    ['bce-v3/ALTAK-a/b|app-1', false],
    ['sk-1', false],
  ])('is required for %s: %s', (key, isNeeded) => {
    expect(tokenExchange.isNeeded(key)).toBe(isNeeded)
  })
})

test('answers of V2 pass unchanged', () => {
  const asked = callTo({ key: 'bce-v3/ALTAK-a/b', model: 'ERNIE-4.0-8K' })
  expect(passedUnchanged(baiduCodec.answers, asked)).toEqual(PASSED)
})

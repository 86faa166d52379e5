import { expect, test } from 'vitest'
import { isForeign } from './origin.ts'

const OWN = ['gate.example:8443', 'other.example']

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
/** What a browser sends over plain HTTP for a script that sets no headers. */
const bare = {
  method: 'GET' as const,
  origin: undefined,
  fetchSite: undefined,
  fetchDest: undefined,
  referer: undefined,
  accept: '*/*',
  userAgent: FIREFOX,
}
const own = { ...bare, referer: 'http://gate.example:8443/account' }

test.each([
  [undefined, 'same-origin', false],
  [undefined, 'none', false],
  [undefined, 'same-site', true],
  [undefined, 'cross-site', true],
  [undefined, 'nonsense', true],
  ['https://gate.example:8443', undefined, false],
  ['https://GATE.example:8443', undefined, false],
  ['https://other.example', undefined, false],
  ['https://gate.example', undefined, true],
  ['https://evil.example', undefined, true],
  ['https://gate.example:8443.evil.example', undefined, true],
  ['null', undefined, true],
  ['', undefined, true],
  ['https://other.example', 'cross-site', true],
  // A proxy does not forward the host, so the browser's header is right and our Host header is not.
  ['https://public.example', 'same-origin', false],
])('origin %s, Sec-Fetch-Site %s: foreign is %s', (origin, fetchSite, foreign) => {
  for (const method of ['GET', 'POST'] as const) {
    const headers = { ...bare, method, origin, fetchSite }
    expect(isForeign(headers, OWN)).toBe(foreign)
    expect(isForeign({ ...headers, fetchDest: 'empty', accept: undefined }, OWN)).toBe(foreign)
  }
})

test.each(['document', 'iframe', 'image', 'script', ''])(
  'a request for %s was not sent by a script of the console',
  (fetchDest) => {
    for (const fetchSite of ['none', 'same-origin', undefined]) {
      expect(isForeign({ ...own, fetchSite, fetchDest }, OWN)).toBe(true)
    }
  },
)

test.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['image/avif,image/webp,*/*;q=0.8', true],
  ['application/json, text/plain, */*', false],
  ['*/*', false],
  [undefined, false],
])(
  'over plain HTTP a request of a console page that accepts %s: foreign is %s',
  (accept, foreign) => {
    expect(isForeign({ ...own, accept }, OWN)).toBe(foreign)
  },
)

test.each([
  'http://other.example.com/',
  'http://gate.example:8081/page',
  'http://evil.example/?http://gate.example:8443/',
  'nonsense',
])('over plain HTTP a request of the page %s is foreign, by any method', (referer) => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const) {
    expect(isForeign({ ...bare, method, referer }, OWN)).toBe(true)
    expect(isForeign({ ...bare, method, referer, userAgent: 'curl/8.9.1' }, OWN)).toBe(true)
  }
})

test('over plain HTTP a page without a referrer gets nothing, whatever it accepts', () => {
  for (const accept of ['*/*', 'application/json, text/plain, */*', undefined]) {
    expect(isForeign({ ...bare, accept }, OWN)).toBe(true)
  }
})

test('PowerShell, which identifies as a browser, need not send a referrer', () => {
  const userAgent =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; en-US) WindowsPowerShell/5.1.19041.4291'
  expect(isForeign({ ...bare, userAgent }, OWN)).toBe(false)
})

test('a POST without an origin came from no page of another site', () => {
  for (const method of ['POST', 'PUT', 'DELETE'] as const) {
    expect(isForeign({ ...bare, method, accept: 'text/html' }, OWN)).toBe(false)
  }
})

test.each([
  ['curl/8.9.1', '*/*'],
  ['Java/21.0.4', 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'],
  [undefined, undefined],
])('no browser is %s, so no page of another site sent the request', (userAgent, accept) => {
  for (const method of ['GET', 'POST'] as const) {
    expect(isForeign({ ...bare, method, userAgent, accept }, OWN)).toBe(false)
  }
})

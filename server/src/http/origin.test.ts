import { expect, test } from 'vitest'
import { isForeign } from './origin.ts'

const OWN = ['gate.example:8443', 'other.example']

test.each([
  [undefined, undefined, false],
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
  // A proxy that does not pass the host on: the browser knows better than our Host header.
  ['https://public.example', 'same-origin', false],
])('origin %s, Sec-Fetch-Site %s: foreign is %s', (origin, fetchSite, foreign) => {
  expect(isForeign({ origin, fetchSite, fetchDest: undefined, accept: '*/*' }, OWN)).toBe(foreign)
  expect(isForeign({ origin, fetchSite, fetchDest: 'empty', accept: undefined }, OWN)).toBe(foreign)
})

test.each(['document', 'iframe', 'image', 'script', ''])(
  'what a browser loads as %s was sent by no script of ours',
  (fetchDest) => {
    for (const fetchSite of ['none', 'same-origin', undefined]) {
      expect(isForeign({ origin: undefined, fetchSite, fetchDest, accept: '*/*' }, OWN)).toBe(true)
    }
  },
)

test.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['image/avif,image/webp,*/*;q=0.8', true],
  ['application/json, text/plain, */*', false],
  ['*/*', false],
  [undefined, false],
])('over plain HTTP what accepts %s: foreign is %s', (accept, foreign) => {
  const headers = { origin: undefined, fetchSite: undefined, fetchDest: undefined, accept }
  expect(isForeign(headers, OWN)).toBe(foreign)
})

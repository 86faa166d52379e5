import { expect, test } from 'vitest'
import { createClientAddress } from './client-address.ts'
import { createConsoleHost } from './console-host.ts'

const PROXY = '10.0.0.1'
const client = createClientAddress([PROXY])

const asked = (
  host: string | undefined,
  headers: Record<string, string> = {},
  from = '192.0.2.1',
) => ({
  headers: { ...(host === undefined ? {} : { host }), ...headers },
  socket: { remoteAddress: from },
})

const at = (address: string) => createConsoleHost(client, () => address)
const CONSOLE = 'https://console.example'

test.each([
  ['console.example', true, false],
  ['console.example:443', true, false],
  ['console.example:8443', true, false],
  ['CONSOLE.example', true, false],
  ['console.example.', true, false],
  ['console.example.:443', true, false],
  ['gate.example', false, true],
  ['gate.example:3000', false, true],
  ['console.example.evil.example', false, true],
  ['evil-console.example', false, true],
  ['console', false, true],
  ['192.0.2.7', false, true],
  ['', false, true],
  [undefined, false, true],
  ['localhost', true, true],
  ['localhost:3000', true, true],
  ['LOCALHOST:3000', true, true],
  ['127.0.0.1:3000', true, true],
  ['127.1.2.3', true, true],
  ['[::1]:3000', true, true],
  ['[::1]', true, true],
  ['localhost.evil.example', false, true],
  ['evil.localhost', false, true],
  ['127.0.0.1.evil.example', false, true],
  ['127.evil.example', false, true],
  ['1127.0.0.1', false, true],
  ['[::2]', false, true],
])('host %s: console %s, relay %s', (host, servesConsole, servesRelay) => {
  const { servesConsole: toConsole, servesRelay: toRelay } = at(CONSOLE)
  expect([toConsole(asked(host)), toRelay(asked(host))]).toEqual([servesConsole, servesRelay])
  // Without a configured address every host serves the console.
  const { servesConsole: everywhere, servesRelay: too } = at('')
  expect([everywhere(asked(host)), too(asked(host))]).toEqual([true, true])
})

test('the host seen by a trusted proxy replaces ours, and no other client may set one', () => {
  const { servesConsole, servesRelay } = at(CONSOLE)
  const through = (forwarded: string, from: string) =>
    asked('127.0.0.1:3000', { 'x-forwarded-host': forwarded }, from)
  expect(servesConsole(through('gate.example', PROXY))).toBe(false)
  expect(servesConsole(through('console.example', PROXY))).toBe(true)
  expect(servesConsole(through('console.example, gate.example', PROXY))).toBe(false)
  expect(servesRelay(through('console.example', PROXY))).toBe(false)
  const forged = { 'x-forwarded-host': 'console.example' }
  expect(servesConsole(asked('gate.example', forged))).toBe(false)
  expect(servesRelay(asked('console.example', { 'x-forwarded-host': 'gate.example' }))).toBe(false)
})

test.each([
  ['http://localhost:3000', 'localhost', '127.0.0.1:3000'],
  ['http://127.0.0.1:3000', '127.0.0.1:3000', 'localhost:3000'],
])('at %s the relay uses the other loopback names', (address, own, other) => {
  const { servesConsole, servesRelay } = at(address)
  expect([servesConsole(asked(own)), servesRelay(asked(own))]).toEqual([true, false])
  expect([servesConsole(asked(other)), servesRelay(asked(other))]).toEqual([true, true])
})

test('names are compared in the form browsers use', () => {
  const { servesConsole } = at('https://Büro.example:8443/console')
  expect(servesConsole(asked('xn--bro-hoa.example:8443'))).toBe(true)
})

test('a changed address applies immediately', () => {
  let address = ''
  const { servesConsole } = createConsoleHost(client, () => address)
  expect(servesConsole(asked('gate.example'))).toBe(true)
  address = CONSOLE
  expect(servesConsole(asked('gate.example'))).toBe(false)
  address = ''
  expect(servesConsole(asked('gate.example'))).toBe(true)
})

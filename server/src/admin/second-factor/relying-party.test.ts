import { describe, expect, test } from 'vitest'
import { AppError } from '@tollgate/contract'
import type { Site } from '../../http/site.ts'
import { relyingParty } from './relying-party.ts'

const here = (ServerAddress: string, site: Partial<Site>, ConsoleAddress = '') => {
  const deps = { settings: { confirmed: () => ({ ServerAddress, ConsoleAddress }) } }
  try {
    return relyingParty(deps, { page: '', hosts: [], ...site })
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

const UNSET = 'server_address_unset'
const GATE = 'https://gate.example'
const atGate = (...origins: string[]) => ({ id: 'gate.example', origins })
const LOCAL = { id: 'localhost', origins: ['https://localhost:3000', 'http://localhost:3000'] }

describe('the relying party of passkeys', () => {
  test.each([
    ['the host that was called', '', { hosts: ['gate.example'] }, atGate(GATE)],
    ['the host with the port of HTTPS', '', { hosts: ['gate.example:443'] }, atGate(GATE)],
    ['the host a proxy was called by', '', { hosts: ['10.0.0.7', 'gate.example'] }, atGate(GATE)],
    ['the page', '', { page: 'gate.example', hosts: ['gate.example'] }, atGate(GATE)],
    // Another port belongs to the origin and not to the host.
    ['any case', '', { hosts: ['Gate.Example:8443'] }, atGate(`${GATE}:8443`)],
    ['the address', GATE, { page: 'gate.example', hosts: ['localhost:3000'] }, atGate(GATE)],
    ['no path', `${GATE}:8443/api`, { hosts: ['gate.example:8443'] }, atGate(`${GATE}:8443`)],
    // A loopback name works with and without HTTPS.
    ['a loopback name', '', { hosts: ['localhost:3000'] }, LOCAL],
    ['a loopback name, though there is an address', GATE, { hosts: ['localhost:3000'] }, LOCAL],
  ])('is %s, with the server address "%s"', (_, address, site, expected) => {
    expect(here(address, site)).toEqual(expected)
  })

  test.each([
    ['a page at another host', '', { page: 'evil.example', hosts: ['gate.example'] }, UNSET],
    ['another host', GATE, { hosts: ['other.example'] }, 'passkey_elsewhere'],
    ['a host below', GATE, { hosts: ['sub.gate.example'] }, 'passkey_elsewhere'],
    ['a longer host', GATE, { page: 'gate.example.evil.example' }, 'passkey_elsewhere'],
    ['an IP address', '', { hosts: ['192.0.2.7'] }, 'passkey_host'],
    ['an IP address with a port', '', { hosts: ['192.0.2.7:3000'] }, 'passkey_host'],
    ['an IPv6 address', '', { hosts: ['[2001:db8::1]:3000'] }, 'passkey_host'],
    ['a loopback address', '', { hosts: ['127.0.0.1:3000'] }, 'passkey_host'],
    ['an own IP address', 'http://192.0.2.7', { hosts: ['192.0.2.7'] }, 'passkey_host'],
    ['no host', '', { hosts: [''] }, 'passkey_host'],
    ['a host with a space', '', { hosts: ['a b'] }, 'passkey_host'],
    ['a port that is none', '', { hosts: ['gate.example:port'] }, 'passkey_host'],
  ])('is not %s, with the server address "%s"', (_, address, site, problem) => {
    expect(here(address, site)).toBe(problem)
  })

  test.each([
    ['https://gate.example', 'https://console.example', 'console.example'],
    ['https://gate.example', 'https://console.gate.example', 'gate.example'],
    ['https://api.gate.example', 'https://gate.example', 'gate.example'],
    ['https://ate.example', 'https://gate.example', 'gate.example'],
    ['http://192.0.2.7:3000', 'https://console.example', 'console.example'],
  ])('with %s and the console at %s, passkeys belong to %s', (server, address, id) => {
    const { host, origin } = new URL(address)
    expect(here(server, { page: host, hosts: [host] }, address)).toEqual({ id, origins: [origin] })
  })

  test('with a console address they work neither at the relay nor at its other names', () => {
    const address = 'https://console.gate.example'
    for (const host of ['gate.example', 'evil.gate.example', '192.0.2.7']) {
      expect(here(GATE, { hosts: [host] }, address)).toBe('passkey_elsewhere')
    }
  })
})

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

describe('the relying party of passkeys', () => {
  test.each([
    ['the host that was called', { hosts: ['gate.example'] }],
    ['the host with the port that HTTPS has', { hosts: ['gate.example:443'] }],
    ['the host that a trusted proxy was called by', { hosts: ['10.0.0.7:3000', 'gate.example'] }],
    ['the page', { page: 'gate.example', hosts: ['gate.example'] }],
  ])('without a server address: %s, over HTTPS only', (_, site) => {
    expect(here('', site)).toEqual({ id: 'gate.example', origins: ['https://gate.example'] })
  })

  test('another port belongs to the origin and not to the host', () => {
    expect(here('', { hosts: ['Gate.Example:8443'] })).toEqual({
      id: 'gate.example',
      origins: ['https://gate.example:8443'],
    })
  })

  test('a page at another host than the request needs the server address', () => {
    expect(here('', { page: 'evil.example', hosts: ['gate.example'] })).toBe('server_address_unset')
  })

  test.each(['192.0.2.7', '192.0.2.7:3000', '[2001:db8::1]:3000', '127.0.0.1:3000'])(
    'the address %s needs a host name',
    (host) => {
      expect(here('', { hosts: [host] })).toBe('passkey_host')
    },
  )

  test.each(['', ' ', 'a b', 'gate.example:port'])(
    'the host "%s" is not a relying party',
    (host) => {
      expect(here('', { hosts: [host] })).toBe('passkey_host')
    },
  )

  test.each(['', 'https://gate.example'])(
    'a loopback name works with and without HTTPS, with the server address "%s"',
    (address) => {
      expect(here(address, { hosts: ['localhost:3000'] })).toEqual({
        id: 'localhost',
        origins: ['https://localhost:3000', 'http://localhost:3000'],
      })
    },
  )

  test("behind a proxy that changes the host name, the page's host counts", () => {
    const site = { page: 'gate.example', hosts: ['localhost:3000'] }
    expect(here('https://gate.example', site)).toEqual({
      id: 'gate.example',
      origins: ['https://gate.example'],
    })
  })

  test('with a server address, the error at another host says where passkeys work', () => {
    const elsewhere = { hosts: ['other.example'] }
    expect(here('https://gate.example', elsewhere)).toBe('passkey_elsewhere')
    expect(here('https://gate.example', { hosts: ['sub.gate.example'] })).toBe('passkey_elsewhere')
    expect(here('https://gate.example', { page: 'gate.example.evil.example' })).toBe(
      'passkey_elsewhere',
    )
  })

  test('the path of a server address is not part of its origin', () => {
    expect(here('https://gate.example:8443/api', { hosts: ['gate.example:8443'] })).toEqual({
      id: 'gate.example',
      origins: ['https://gate.example:8443'],
    })
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
      expect(here('https://gate.example', { hosts: [host] }, address)).toBe('passkey_elsewhere')
    }
  })

  test('a server address with an IP address has no passkeys', () => {
    expect(here('http://192.0.2.7:3000', { hosts: ['192.0.2.7:3000'] })).toBe('passkey_host')
  })
})

import { describe, expect, test } from 'vitest'
import { channelEdit, isProxyAddress } from './channel.ts'
import { OPTIONS } from './options.ts'
import { addressFaultOf, isDiscoveryAddress } from './web-address.ts'

test.each([
  ['https://a.example/v1', null],
  ['https://a.example/v1?x=1', 'query'],
  ['https://a.example/v1#', 'fragment'],
  ['https://a.example/v1?x=#', 'fragment'],
  [String.raw`https://a.example\@b.example`, 'characters'],
  [String.raw`https://a.example/a\b`, 'characters'],
  ['https://a.example/a b', 'characters'],
  ['https://a.example/a\tb', 'characters'],
  ['https://a.example/a\u0000', 'characters'],
  ['https://a.example/a\u200Bb', 'characters'],
  ['https://a.example/a\u3000b', 'characters'],
  ['', null],
])('%j has the fault %s', (address, fault) => {
  expect(addressFaultOf(address)).toBe(fault)
})

const refusing = (schema: { safeParse: (value: unknown) => { success: boolean } }) =>
  BASES.filter((address) => !schema.safeParse(address).success)

const SOUND = 'https://a.example/v1'
const QUERY = 'https://a.example/v1?x=1'
const FRAGMENTS = ['https://a.example/v1#', 'https://a.example/#/v1']
const CHARACTERS = [String.raw`https://a.example/a\b`, 'https://a\n.example']
const PASSWORD = 'https://ann:secret@a.example'
const BASES = [SOUND, QUERY, ...FRAGMENTS, ...CHARACTERS, PASSWORD]

describe('an address for requests', () => {
  test('for a channel has neither fragment nor odd characters; its type decides about a query', () => {
    const { base_url } = channelEdit.shape
    expect(refusing(base_url)).toEqual([...FRAGMENTS, ...CHARACTERS])
  })

  test('for an option to which paths are appended has no query and no password either', () => {
    for (const key of ['ServerAddress', 'WeChatServerAddress'] as const) {
      expect(refusing(OPTIONS[key].schema), key).toEqual(BASES.filter((one) => one !== SOUND))
    }
  })

  test('for an option that is the complete address may have a query', () => {
    const { schema } = OPTIONS.MessagePusherAddress
    expect(refusing(schema)).toEqual([...FRAGMENTS, ...CHARACTERS])
    for (const key of ['OidcTokenEndpoint', 'OidcUserinfoEndpoint'] as const) {
      expect(refusing(OPTIONS[key].schema), key).toEqual([...FRAGMENTS, ...CHARACTERS, PASSWORD])
    }
  })

  test('for an issuer has a query only if nothing is appended', () => {
    const { schema } = OPTIONS.OidcWellKnown
    expect(refusing(schema)).toEqual([QUERY, ...FRAGMENTS, ...CHARACTERS, PASSWORD])
    const whole = 'https://a.example/.well-known/openid-configuration?p=policy'
    expect(schema.safeParse(whole).success).toBe(true)
    expect(isDiscoveryAddress(whole)).toBe(true)
    for (const inner of ['?/.well-known/', '#/.well-known/']) {
      expect(isDiscoveryAddress(`https://a.example/secret${inner}`)).toBe(false)
      expect(schema.safeParse(`https://a.example/secret${inner}`).success).toBe(false)
    }
  })
})

test('a link for browsers may have all of them', () => {
  for (const key of ['TopUpLink', 'ChatLink'] as const) {
    expect(OPTIONS[key].schema.safeParse('https://a.example/#/chat?x=1').success).toBe(true)
  }
})

test.each([
  ['http://a.example:8080', true],
  ['socks5h://ann:secret@a.example:1080', true],
  ['http://a.example:8080/', true],
  ['http://a.example:8080#', false],
  ['http://a.example:8080?x', false],
  ['http://169.254.169.254#@a.example:8080', false],
  [String.raw`http://169.254.169.254\@a.example:8080`, false],
  ['http://a.example:8080/ x', false],
  ['socks5://a.example#:1080', false],
])('%s as a proxy: %s', (address, isOne) => {
  expect(isProxyAddress(address)).toBe(isOne)
})

import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createClientAddress } from './client-address.ts'

function request(remoteAddress: string, headers: Record<string, string>) {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
  const message = new IncomingMessage(socket)
  Object.assign(message.headers, headers)
  return message
}

const client = createClientAddress(['10.0.0.0/8', '::1'])

test.each([
  ['198.51.100.1', '203.0.113.5', '198.51.100.1'],
  ['10.0.0.1', '203.0.113.5', '203.0.113.5'],
  ['::ffff:10.0.0.1', '203.0.113.5', '203.0.113.5'],
  ['10.0.0.1', '1.1.1.1, 203.0.113.5, 10.0.0.2', '203.0.113.5'],
  ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['10.0.0.1', 'unknown, evil', '10.0.0.1'],
  ['10.0.0.1', '', '10.0.0.1'],
  ['10.0.0.1', '1.1.1.1, 203.0.113.5:4711', '203.0.113.5'],
  ['10.0.0.1', '1.1.1.1, [2001:db8::7]:4711', '2001:db8::7'],
  ['10.0.0.1', '1.1.1.1, [2001:db8::7]', '2001:db8::7'],
  ['10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
  ['10.0.0.1', '1.1.1.1, unknown, 10.0.0.2', '10.0.0.2'],
  ['::1', '2001:db8::7', '2001:db8::7'],
])('from %s with "%s" it is %s', (remote, forwarded, expected) => {
  expect(client.read(request(remote, { 'x-forwarded-for': forwarded }))).toBe(expected)
})

test('without trusted proxies headers are ignored', () => {
  const bare = createClientAddress([])
  const message = request('10.0.0.1', {
    'x-forwarded-for': '203.0.113.5',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'other.example',
    host: 'own.example',
  })
  expect(bare.read(message)).toBe('10.0.0.1')
  expect(bare.isSecure(message)).toBe(false)
  expect(bare.hosts(message)).toEqual(['own.example'])
})

test('a page loaded over https shows that its connections are secure', () => {
  const bare = createClientAddress([])
  const from = (origin: string) => bare.isSecure(request('192.0.2.1', { origin }))
  expect(from('https://gate.example')).toBe(true)
  expect(from('http://gate.example')).toBe(false)
})

test('a trusted proxy sets scheme and host, the nearest proxy last', () => {
  const headers = {
    'x-forwarded-proto': 'http, https',
    'x-forwarded-host': 'evil.example, gate.example',
    host: 'inside',
  }
  expect(client.isSecure(request('10.0.0.1', headers))).toBe(true)
  expect(client.hosts(request('10.0.0.1', headers))).toEqual(['inside', 'gate.example'])
})

test.each([
  ['127.0.0.1', {}, true],
  ['::1', {}, true],
  ['::ffff:192.168.1.4', {}, true],
  ['172.16.0.9', {}, true],
  ['fd00::7', {}, true],
  ['fe80::7%eth0', {}, true],
  ['203.0.113.5', {}, false],
  ['2001:db8::7', {}, false],
  ['100.64.0.1', {}, false],
  ['', {}, false],
  ['127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, false],
  ['127.0.0.1', { 'x-real-ip': '203.0.113.5' }, false],
  ['127.0.0.1', { forwarded: 'for=203.0.113.5' }, false],
  ['127.0.0.1', { 'cf-connecting-ip': '203.0.113.5' }, false],
  ['10.0.0.1', { 'x-forwarded-for': '203.0.113.5' }, false],
  ['10.0.0.1', { 'x-forwarded-for': '192.168.1.4' }, true],
])('from %s with %j the client is near: %s', (remote, headers, expected) => {
  expect(client.isNear(request(remote, headers))).toBe(expected)
})

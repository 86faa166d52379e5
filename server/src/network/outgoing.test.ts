import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { leadsInTurn, leadsTo } from '../../testing/fakes/dns-lookups.ts'
import { portOf } from '../../testing/harness/port-of.ts'
import { AddressRefused, createOutgoing, type OutgoingDeps } from './outgoing.ts'

/** The lookup result a socket would get. */
const resolve = (deps: OutgoingDeps, all = true) =>
  new Promise<{ error: unknown; found: unknown }>((done) => {
    createOutgoing(deps).lookup('a.test', { all }, (error, found) => done({ error, found }))
  })

const refusalIn = async (deps: OutgoingDeps) => {
  const { error } = await resolve(deps)
  return error instanceof AddressRefused ? error.refusal : error
}

const CLOSED = { allowsPrivate: () => false }

test('a name resolves to its allowed addresses', async () => {
  const lookup = leadsTo('169.254.169.254', '10.0.0.1', '93.184.216.34', 'fe80::1')
  const own = { address: '10.0.0.1', family: 4 }
  const other = { address: '93.184.216.34', family: 4 }
  expect(await resolve({ lookup })).toEqual({ error: null, found: [own, other] })
  expect(await resolve({ lookup, ...CLOSED })).toEqual({ error: null, found: [other] })
  expect(await resolve({ lookup }, false)).toEqual({ error: null, found: '10.0.0.1' })
})

test('a name without any is refused with the reason', async () => {
  expect(await refusalIn({ lookup: leadsTo('169.254.169.254') })).toBe('guarded')
  expect(await refusalIn({ lookup: leadsTo('fe80::a9fe:a9fe%2') })).toBe('guarded')
  expect(await refusalIn({ lookup: leadsTo('127.0.0.1', '::1'), ...CLOSED })).toBe('private')
  expect(await refusalIn({ lookup: leadsTo('127.0.0.1') })).toBeNull()
})

test('in strict mode a name with any forbidden address is refused', async () => {
  const lookup = leadsTo('93.184.216.34', '169.254.169.254')
  expect(await refusalIn({ lookup })).toBeNull()
  expect(await refusalIn({ lookup, isStrict: true })).toBe('guarded')
})

test('listed networks are allowed', async () => {
  const privateNetworks = ['169.254.169.254', '10.0.0.0/8']
  const lookup = leadsTo('169.254.169.254', '10.1.1.1')
  const { found } = await resolve({ lookup, ...CLOSED, privateNetworks })
  expect(found).toHaveLength(2)
})

test('the name of a metadata service is not even resolved', async () => {
  const { lookup, asked } = leadsInTurn(['93.184.216.34'])
  const { error } = await new Promise<{ error: unknown }>((done) => {
    createOutgoing({ lookup }).lookup('Metadata.google.internal.', {}, (failure) =>
      done({ error: failure }),
    )
  })
  expect(error).toBeInstanceOf(AddressRefused)
  expect(asked).toEqual([])
})

test('errors of the resolver are passed on unchanged', async () => {
  expect(await resolve({ lookup: leadsTo() })).toMatchObject({ error: { code: 'ENOTFOUND' } })
  const broken = Object.assign(new Error('away'), { code: 'EAI_AGAIN' })
  const lookup: OutgoingDeps['lookup'] = (_host, _options, callback) => callback(broken, [])
  expect(await resolve({ lookup })).toMatchObject({ error: broken })
})

test('a socket connects to the address that was checked, which is resolved once', async () => {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { lookup, asked } = leadsInTurn(['127.0.0.1'], ['169.254.169.254'])
  const outgoing = createOutgoing({ lookup })
  const way = { host: 'changing.test', port: portOf(server), lookup: outgoing.lookup }
  const socket = connect(way)
  await once(socket, 'connect')
  expect(asked).toEqual(['changing.test'])
  await expect(once(connect(way), 'connect')).rejects.toBeInstanceOf(AddressRefused)
  socket.destroy()
  server.close()
})

test('an IP address instead of a name is checked before the connection', () => {
  const { check } = createOutgoing()
  expect(() => check('[::ffff:a9fe:a9fe]')).toThrow(AddressRefused)
  expect(() => check('127.0.0.1')).not.toThrow()
  expect(() => createOutgoing(CLOSED).check('127.0.0.1')).toThrow(AddressRefused)
})

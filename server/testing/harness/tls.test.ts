import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { openHttpsServer } from '../fakes/https-server.ts'
import { openTestTls } from './tls.ts'

test('this process trusts the certificate of the tests and no other', async () => {
  const trusted = await openHttpsServer({ '/': { body: { hello: 'there' } } })
  const untrusted = await openHttpsServer({ '/': { body: 'never seen' } }, { isTrusted: false })
  const answer = await request(`${trusted.url}/?a=1`)
  expect(await answer.body.json()).toEqual({ hello: 'there' })
  expect(trusted.requests[0]?.query.get('a')).toBe('1')
  expect(await (await fetch(trusted.url)).json()).toEqual({ hello: 'there' })
  await expect(request(untrusted.url)).rejects.toThrow(/self-signed/)
  expect(untrusted.requests).toEqual([])
  await Promise.all([trusted.close(), untrusted.close()])
})

test('the certificate names localhost as well', async () => {
  const server = await openHttpsServer()
  const socket: TLSSocket = connect({
    port: Number(new URL(server.url).port),
    host: '127.0.0.1',
    servername: 'localhost',
  })
  await once(socket, 'secureConnect')
  expect(socket.authorized).toBe(true)
  socket.destroy()
  await server.close()
})

test('there is one authority per process', async () => {
  expect(await openTestTls()).toBe(await openTestTls())
})

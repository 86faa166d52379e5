import { afterEach, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { type HttpsServer, openHttpsServer } from '../../testing/fakes/https-server.ts'
import { openOutboxWorld, type OutboxWorld } from '../../testing/worlds/outbox-world.ts'
import { deliverDue } from './deliver-messages.ts'

const MINUTE_MS = 60_000

let world: OutboxWorld
let pusher: HttpsServer

afterEach(async () => {
  await pusher.close()
  await world.close()
})

test('an alert is sent neither to a pusher nor to a mail server in a forbidden network', async () => {
  world = await openOutboxWorld('sqlite')
  pusher = await openHttpsServer({ '/push': { body: { success: true, message: '' } } })
  const server = await world.withMail()
  await world.addUser('root@example.com', { role: ROLE.root })
  await world.setOption('MessagePusherAddress', `${pusher.url}/push`)
  await world.setOption('ChannelPrivateNetworksEnabled', 'false')
  await world.put({ type: 'test-finished', total: 12, failed: 3, seconds: 45 })
  for (const minutes of [0, 1, 5, 15, 60]) {
    world.clock.now += minutes * MINUTE_MS
    await deliverDue(world.deps)
  }
  expect(pusher.requests).toEqual([])
  expect(server.mails).toEqual([])
  expect(world.lines[0]).toMatch(/message pusher: it is in a private network/)
  expect(world.lines[0]).toMatch(/the mail server is in a private network/)
})

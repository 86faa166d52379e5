import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { DATABASES } from '../harness/databases.ts'
import { portOf } from '../harness/port-of.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { atEnd, openNodeWorld, startObserved } from './node-world.ts'

const TIMEOUT_MS = 60_000
const CLAIMED = 'tollgate_scheduled_claims_total{kind="messages"}'
/** A job whose node has died is due again after this time. */
const PAUSE_SECONDS = 60
const ALERT = {
  type: 'channel-alert',
  channel_id: 1,
  name: 'only',
  event: 'disabled',
  reason: 'it failed',
}

/** Notes each call, and answers none before `answer` was called. */
async function startReceiver() {
  const calls: string[] = []
  let isAnswering = false
  const server = createServer((request, response) => {
    request.resume()
    calls.push(request.url ?? '')
    if (isAnswering) response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `http://127.0.0.1:${portOf(server)}/alert`
  return { address, calls, answer: () => void (isAnswering = true) }
}

test.each(DATABASES)(
  'a job on %s whose node is killed moves to another node, which runs it once',
  { timeout: TIMEOUT_MS },
  async (kind) => {
    const world = await openNodeWorld(kind)
    const { kysely } = world.database
    const receiver = await startReceiver()
    await world.setOption('AlertWebhookAddress', receiver.address)
    const addMessage = (message: object) =>
      kysely
        .insertInto('outbox')
        .values({ message: JSON.stringify(message), due_at: 0, created_at: nowSeconds() })
        .execute()
    const waiting = () => kysely.selectFrom('outbox').select(['message', 'tries']).execute()

    let nodes = [await startObserved(world, 'first')]
    // A delivery waits for seconds, in which no node can start on a busy machine.
    if (kind === 'postgres') nodes.push(await startObserved(world, 'second'))
    const claims = () => Promise.all(nodes.map(async ({ read }) => (await read(CLAIMED)) ?? 0))
    await addMessage(ALERT)
    await waitUntil(async () => receiver.calls.length === 1)
    let before = await claims()
    // The alert, and its copy for the receiver.
    expect(before.reduce((sum, count) => sum + count)).toBe(2)

    // SQLite has one node at a time: the next start takes the place of the other node.
    if (kind === 'sqlite') await nodes[0]?.server.stop('SIGKILL')
    // A message that cannot be read is logged and removed. The other node is busy with the copy.
    await addMessage({})
    if (kind === 'sqlite') [nodes, before] = [[await startObserved(world, 'second')], [0]]
    const findFree = async () => {
      const now = await claims()
      return nodes.findIndex((_node, index) => now[index] === (before[index] ?? 0) + 1)
    }
    await waitUntil(async () => (await findFree()) !== -1)
    const free = await findFree()
    const second = nodes[free] ?? expect.fail('no node is free')
    for (const node of nodes) if (node !== second) await node.server.stop('SIGKILL')
    expect(receiver.calls).toHaveLength(1)

    receiver.answer()
    expect(await waiting()).toEqual([{ message: expect.stringContaining('alert-copy'), tries: 1 }])
    await kysely
      .updateTable('outbox')
      .set(({ eb }) => ({ due_at: eb('due_at', '-', PAUSE_SECONDS) }))
      .execute()
    await waitUntil(async () => (await waiting()).length === 0)
    expect(receiver.calls).toHaveLength(2)
    expect(await second.read(CLAIMED)).toBe((before[free] ?? 0) + 2)
    expect(await second.server.stop('SIGTERM')).toBe(0)
  },
)

const nowSeconds = () => Math.floor(Date.now() / 1000)

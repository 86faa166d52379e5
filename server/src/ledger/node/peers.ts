import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import type { NotifyBus } from '../../store/notify-bus.ts'
import type { Account } from '../account.ts'
import type { LedgerDatabase } from '../batch.ts'
import type { LedgerNode } from './node.ts'

export type Peers = {
  /** Asks the other nodes to release the unused part of their leases on an account. */
  revoke: (account: Account) => void
  /**
   * Asks every other node for a batch, or for one user's ends to be applied. Resolves when all have
   * answered, after 300 ms at the latest.
   */
  flush: (epoch: string, userId?: number) => Promise<void>
}

const account = z.object({
  kind: z.enum(['user', 'token', 'budget']),
  ownerId: z.int(),
  period: z.int(),
})

/**
 * The format between nodes, which may run different releases: `recall` revokes a lease, `turn` asks
 * for a flush, and `turned` answers with the name of the epoch in `run`.
 */
const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('recall'), account }),
  z.object({ type: z.literal('turn'), id: z.string(), userId: z.int().optional() }),
  z.object({ type: z.literal('turned'), id: z.string(), run: z.string() }),
])

type Message = z.output<typeof message>

const NO_PEERS: Peers = { revoke: () => {}, flush: () => Promise.resolve() }

/** `answer` subscribes a node to its peers' messages. Without a bus there are no peers. */
export function createPeers(
  bus: NotifyBus | null,
  { database, clock }: { database: LedgerDatabase; clock: Clock },
): { peers: Peers; answer: (node: LedgerNode) => void } {
  if (bus === null) return { peers: NO_PEERS, answer: () => {} }
  const flushes = new Map<string, (epoch: string) => void>()
  const send = (sent: Message) => bus.send(JSON.stringify(sent))

  const flush = async (ownEpoch: string, userId?: number) => {
    const pending = new Set((await database.otherEpochs(ownEpoch)).map(({ epoch }) => epoch))
    if (pending.size === 0) return
    const id = randomUUID()
    const { promise, resolve } = Promise.withResolvers<void>()
    flushes.set(id, (epoch) => {
      pending.delete(epoch)
      if (pending.size === 0) resolve()
    })
    const timer = clock.after(FLUSH_MS_MAX, resolve)
    send({ type: 'turn', id, userId })
    await promise
    timer.close()
    flushes.delete(id)
  }

  const handle = (node: LedgerNode, received: Message) => {
    switch (received.type) {
      case 'recall':
        return node.revoke(received.account)
      case 'turn': {
        const { id, userId } = received
        const done = userId === undefined ? node.sync() : node.flush(userId)
        return void done.then(() => send({ type: 'turned', id, run: node.epoch }))
      }
      case 'turned':
        return flushes.get(received.id)?.(received.run)
    }
  }

  return {
    peers: { flush, revoke: (revoked) => send({ type: 'recall', account: revoked }) },
    answer: (node) => {
      bus.onText((text) => {
        const received = parse(text)
        if (received !== null) handle(node, received)
      })
    },
  }
}

/** Upper bound on the wait for peers that do not answer. */
const FLUSH_MS_MAX = 300

function parse(text: string): Message | null {
  try {
    return message.parse(JSON.parse(text))
  } catch {
    return null
  }
}

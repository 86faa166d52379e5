import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { NotifyBus } from '../../store/notify-bus.ts'
import type { Account } from '../account.ts'
import type { LedgerDatabase } from '../batch.ts'
import type { Clock } from '../clock.ts'
import type { LedgerNode } from './node.ts'

export type Peers = {
  /** Asks the other nodes to release the unused part of their leases on an account. */
  recall: (account: Account) => void
  /**
   * Asks every other node for a batch, or for one user's ends to be applied. Resolves when all have
   * answered, after 300 ms at the latest.
   */
  turns: (run: string, userId?: number) => Promise<void>
}

const account = z.object({
  kind: z.enum(['user', 'token', 'budget']),
  ownerId: z.int(),
  period: z.int(),
})

const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('recall'), account }),
  z.object({ type: z.literal('turn'), id: z.string(), userId: z.int().optional() }),
  z.object({ type: z.literal('turned'), id: z.string(), run: z.string() }),
])

type Message = z.output<typeof message>

const ALONE: Peers = { recall: () => {}, turns: () => Promise.resolve() }

/** `answer` subscribes a node to its peers' messages. Without a bus there are no peers. */
export function createPeers(
  wire: NotifyBus | null,
  { database, clock }: { database: LedgerDatabase; clock: Clock },
): { peers: Peers; answer: (node: LedgerNode) => void } {
  if (wire === null) return { peers: ALONE, answer: () => {} }
  const waiting = new Map<string, (run: string) => void>()
  const send = (sent: Message) => wire.send(JSON.stringify(sent))

  const turns = async (run: string, userId?: number) => {
    const runs = new Set((await database.otherEpochs(run)).map((other) => other.run))
    if (runs.size === 0) return
    const id = randomUUID()
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.set(id, (turned) => {
      runs.delete(turned)
      if (runs.size === 0) resolve()
    })
    const cancel = clock.after(TURNS_MS_MAX, resolve)
    send({ type: 'turn', id, userId })
    await promise
    cancel()
    waiting.delete(id)
  }

  const hear = (node: LedgerNode, heard: Message) => {
    switch (heard.type) {
      case 'recall':
        return node.giveBack(heard.account)
      case 'turn': {
        const { id, userId } = heard
        const done = userId === undefined ? node.sync() : node.flush(userId)
        return void done.then(() => send({ type: 'turned', id, run: node.run }))
      }
      case 'turned':
        return waiting.get(heard.id)?.(heard.run)
    }
  }

  return {
    peers: { turns, recall: (recalled) => send({ type: 'recall', account: recalled }) },
    answer: (node) => {
      wire.onText((text) => {
        const heard = read(text)
        if (heard !== null) hear(node, heard)
      })
    },
  }
}

/** Upper bound on the wait for peers that do not answer. */
const TURNS_MS_MAX = 300

function read(text: string): Message | null {
  try {
    return message.parse(JSON.parse(text))
  } catch {
    return null
  }
}

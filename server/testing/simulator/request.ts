import type { Quota } from '@tollgate/contract'
import {
  type Hold,
  type Ledger,
  LedgerUnavailable,
  type LedgerRequest,
} from '../../src/ledger/ledger.ts'
import type { Node } from './machine.ts'
import type { Process } from './process.ts'
import type { Random } from './random.ts'
import { requestEnd, settlementOf } from './settlement.ts'

/** A request as its client and the checks of the simulation know it. */
export type SentRequest = {
  readonly context: LedgerRequest
  readonly node: Node
  /** When the hold was granted, in run time of the process. */
  admittedAt: number | null
  /** The intended end: a cost, or void; null before the request ends. */
  asked: 'void' | Quota | null
  /** When the client learned that the request has ended, in run time of the process. */
  promisedAt: number | null
  /** The disk was in trouble at the end, so the end may be only in the database. */
  isOnlyInDatabase: boolean
  /** The rule by which what was promised may be lost. */
  excuse: string | null
}

/** A record with this text cannot be stored. */
export const POISON = 'poison'

type RequestTraits = {
  random: Random
  /** No request costs more than it holds. */
  isCalm: boolean
  mayBePoisoned: boolean
}

const PATIENCE = { raises: 4, lifeMs: 20_000 }

/** Runs a request for at most the life of its process. Throws only for a bug. */
export async function runRequest(request: SentRequest, ledger: Ledger, nature: RequestTraits) {
  const { random } = nature
  const {
    context,
    node: { process },
  } = request
  const outcome = await heldFor(context, ledger, random)
  if (outcome?.type !== 'held' || !process.isAlive) return
  const { hold } = outcome
  request.admittedAt = process.ranMs
  if (context.isStream) await raiseSomeTimes(hold, process, random)
  await process.wait(random.skewed(0, PATIENCE.lifeMs))
  await end(hold, request, nature)
  if (!process.isAlive) return
  request.promisedAt = process.ranMs
  request.isOnlyInDatabase = request.node.machine.isDistrusted
}

async function heldFor(context: LedgerRequest, ledger: Ledger, random: Random) {
  const max = random.chance(0.1) ? 0 : random.int(1, random.chance(0.1) ? 1500 : 60)
  const min = random.chance(0.5) ? max : random.int(0, max)
  return ledger.hold(context, { min, max }).catch(unlessAway)
}

async function raiseSomeTimes(hold: Hold, process: Process, random: Random) {
  for (let raises = random.int(0, PATIENCE.raises); raises > 0; raises--) {
    await process.wait(random.skewed(0, 2000))
    const max = hold.amount + random.int(1, 40)
    const min = random.chance(0.5) ? max : random.int(0, max)
    const outcome = await hold.raise({ min, max }).catch(unlessAway)
    if (outcome?.type !== 'held') return
  }
}

async function end(
  hold: Hold,
  request: SentRequest,
  { random, isCalm, mayBePoisoned }: RequestTraits,
) {
  if (random.chance(0.2)) {
    request.asked = 'void'
    await hold.void(requestEnd('client_left'))
    return
  }
  const above = isCalm || random.chance(0.9) ? 0 : random.int(1, 200)
  const cost = random.chance(0.3) ? hold.amount + above : random.int(0, hold.amount) + above
  request.asked = cost
  const content = mayBePoisoned && random.chance(0.01) ? POISON : ''
  await hold.settle(settlementOf(cost, content))
  if (random.chance(0.05)) await hold.settle(settlementOf(cost + 1, content))
  if (random.chance(0.05)) await hold.void(requestEnd('deadline'))
}

function unlessAway(error: unknown): null {
  if (error instanceof LedgerUnavailable) return null
  throw error
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { AppError } from '@tollgate/contract'
import type { Addressed, ClientAddress } from './client-address.ts'
import { addressKey, createRateLimit } from './rate-limit.ts'
import { credentialOf } from './session.ts'

const WINDOW_MS = 3 * 60 * 1000
const CREDENTIALS_MAX = 10_000

/** Limits calls under /api and the billing queries, for each process by itself. */
export type CallLimit = {
  /**
   * Counts a call; returns the seconds to wait when there were too many, else null. Callers whose
   * credential is known count by account, all others and calls of foreign pages by address.
   */
  take: (request: Addressed, credential?: string | null) => number | null
  /** The credential has just opened this account: its next calls count for the account. */
  know: (credential: string, accountId: number) => void
  /** The credential opens nothing any more. */
  forget: (credential: string) => void
}

export function createCallLimit({
  client,
  most,
  now,
}: {
  client: ClientAddress
  /** Calls per account, and per address, in three minutes; 0 is no limit. */
  most: () => number
  now: () => number
}): CallLimit {
  const calls = createRateLimit({ most, windowMs: WINDOW_MS, now })
  // A call is counted before anybody looks in the database, so what was found there is remembered.
  const accounts = new LRUCache<string, number>({ max: CREDENTIALS_MAX })
  return {
    take: (request, credential = null) => {
      if (most() === 0) return null
      const address = addressKey(client.read(request))
      if (isOfForeignPage(request)) return calls(`foreign ${address}`)
      const account = credential === null ? undefined : accounts.get(credential)
      return calls(account === undefined ? `own ${address}` : `account ${account}`)
    },
    know: (credential, accountId) => void accounts.set(credential, accountId),
    forget: (credential) => void accounts.delete(credential),
  }
}

/**
 * Pages of other sites can make a browser request images of ours, and pages of a neighbouring host do so with its
 * session. Such calls count by themselves, or a page would keep whoever reads it out of the console.
 */
function isOfForeignPage({ headers }: Addressed): boolean {
  const site = headers['sec-fetch-site']
  return site === 'cross-site' || site === 'same-site'
}

/** Counts calls under /api before anybody asks who sent them. */
export function limitCalls(app: FastifyInstance, limit: CallLimit) {
  app.addHook('onRequest', async (request) => {
    if (!isUnderApi(request)) return
    const seconds = limit.take(request.raw, credentialOf(request))
    if (seconds !== null) throw new AppError('too_many_requests', { seconds })
  })
}

/** By its route, since a path may be written in several ways. */
export const isUnderApi = (request: FastifyRequest) =>
  /^\/api(?:[/?]|$)/.test(request.routeOptions.url ?? request.url)

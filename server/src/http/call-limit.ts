import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '@tollgate/contract'
import { createLru } from '../lru.ts'
import type { RequestSource, ClientAddress } from './client-address.ts'
import { addressKey, createRateLimit } from './rate-limit.ts'
import { credentialOf } from './session.ts'

const WINDOW_MS = 3 * 60 * 1000
const CREDENTIALS_MAX = 10_000

/** Rate limit of calls under /api and of billing queries, per process. */
export type CallLimit = {
  /**
   * Counts a call. Returns the seconds to wait if there were too many, else null. Callers with a
   * known credential are counted by account. All others, and calls of foreign pages, are counted by
   * address.
   */
  take: (request: RequestSource, credential?: string | null) => number | null
  /** The credential has just authenticated this account; its next calls count for the account. */
  setAccount: (credential: string, accountId: number) => void
  forget: (credential: string) => void
}

export function createCallLimit({
  client,
  max,
  now,
}: {
  client: ClientAddress
  /** Calls per account, and per address, in three minutes; 0 means no limit. */
  max: () => number
  now: () => number
}): CallLimit {
  const calls = createRateLimit({ max, windowMs: WINDOW_MS, now })
  // Calls are counted before the database is read, so accounts of credentials are cached.
  const accounts = createLru<string, number>(CREDENTIALS_MAX)
  return {
    take: (request, credential = null) => {
      if (max() === 0) return null
      const address = addressKey(client.read(request))
      if (isOfForeignPage(request)) return calls(`foreign ${address}`)
      const account = credential === null ? undefined : accounts.get(credential)
      return calls(account === undefined ? `own ${address}` : `account ${account}`)
    },
    setAccount: (credential, accountId) => void accounts.set(credential, accountId),
    forget: (credential) => void accounts.delete(credential),
  }
}

/**
 * A page of another site can make a browser request our images, and a same-site page does so with
 * the session cookie. Such calls are counted separately, so that the page cannot lock its visitor
 * out of the console.
 */
function isOfForeignPage({ headers }: RequestSource): boolean {
  const site = headers['sec-fetch-site']
  return site === 'cross-site' || site === 'same-site'
}

/** Counts calls under /api before authentication. */
export function limitCalls(app: FastifyInstance, limit: CallLimit) {
  app.addHook('onRequest', async (request) => {
    if (!isUnderApi(request)) return
    const seconds = limit.take(request.raw, credentialOf(request))
    if (seconds !== null) throw new AppError('too_many_requests', { seconds })
  })
}

/** Uses the matched route, because one path can be written in several ways. */
export const isUnderApi = (request: FastifyRequest) =>
  /^\/api(?:[/?]|$)/.test(request.routeOptions.url ?? request.url)

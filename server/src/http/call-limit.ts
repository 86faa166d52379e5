import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '@tollgate/contract'
import type { Addressed, ClientAddress } from './client-address.ts'
import { addressKey, createRateLimit } from './rate-limit.ts'

const WINDOW_MS = 3 * 60 * 1000

/** Counts a call of this address; answers with the seconds to wait when there were too many, else null. */
export type CallLimit = (request: Addressed) => number | null

/** For all that answers questions about accounts, under /api and beside the relay. */
export function createCallLimit({
  client,
  most,
  now,
}: {
  client: ClientAddress
  /** Calls per address in three minutes; 0 is no limit. */
  most: () => number
  now: () => number
}): CallLimit {
  const calls = createRateLimit({ most, windowMs: WINDOW_MS, now })
  return (request) => (most() === 0 ? null : calls(addressKey(client.read(request))))
}

/** Counts calls under /api before anybody asks who sent them. */
export function limitCalls(app: FastifyInstance, limit: CallLimit) {
  app.addHook('onRequest', async (request) => {
    const seconds = isUnderApi(request) ? limit(request.raw) : null
    if (seconds !== null) throw new AppError('too_many_requests', { seconds })
  })
}

/** By its route, since a path may be written in several ways. */
export const isUnderApi = (request: FastifyRequest) =>
  /^\/api(?:[/?]|$)/.test(request.routeOptions.url ?? request.url)

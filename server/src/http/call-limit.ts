import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ClientAddress } from './client-address.ts'
import { addressKey, createAttemptLimit, takeOrRefuse } from './rate-limit.ts'

const WINDOW_MS = 3 * 60 * 1000

type CallLimit = {
  client: ClientAddress
  /** Calls per address in three minutes; 0 is no limit. */
  most: () => number
  now: () => number
}

/** Counts calls under /api before anybody asks who sent them. */
export function limitCalls(app: FastifyInstance, { client, most, now }: CallLimit) {
  const calls = createAttemptLimit({ most, windowMs: WINDOW_MS, now })
  app.addHook('onRequest', async (request) => {
    if (most() === 0 || !isUnderApi(request)) return
    takeOrRefuse(calls, addressKey(client.read(request.raw)))
  })
}

/** By its route, since a path may be written in several ways. */
const isUnderApi = (request: FastifyRequest) =>
  /^\/api(?:[/?]|$)/.test(request.routeOptions.url ?? request.url)

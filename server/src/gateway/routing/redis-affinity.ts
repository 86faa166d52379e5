import { once } from 'node:events'
import type { Logger } from 'pino'
import { z } from 'zod'
import { parseJson } from '@tollgate/relay'
import { type Clock, within } from '../../clock.ts'
import { createRedisClient } from '../rate-limits/redis-client.ts'
import { type AffinityStore, type Binding, createMemoryAffinity } from './affinity-store.ts'

const CONNECT_MS_MAX = 2000
/** A request waits this long for other nodes, then begins without a binding. */
const ANSWER_MS_MAX = 50
/** After a late answer, Redis is left alone for this long. */
const AWAY_MS = 1000
const PREFIX = 'tollgate-session:'

const bindingSchema = z.object({ channel: z.int(), keyId: z.string(), model: z.string() })

type SharedDeps = { url: string; clock: Clock; log: Pick<Logger, 'warn' | 'info'> }

/**
 * Bindings that all nodes share in Redis. Each node keeps its own in memory too, asks Redis only
 * for sessions that it has not seen, and works from memory while Redis is away.
 */
export async function openSharedAffinity({ url, clock, log }: SharedDeps): Promise<AffinityStore> {
  const memory = createMemoryAffinity(clock)
  const client = createRedisClient(url)
  let awayUntil = 0
  const noteAway = (error: unknown) => {
    if (clock.monotonic() >= awayUntil)
      log.warn({ error }, 'Redis does not answer; each node knows its own sessions')
    awayUntil = clock.monotonic() + AWAY_MS
  }
  // The next command fails on a broken connection, which is handled there.
  client.on('error', () => {})
  client.connect().catch(() => {})
  await within(clock, CONNECT_MS_MAX, once(client, 'ready')).catch(noteAway)

  const lookUp = async (session: string): Promise<Binding | undefined> => {
    try {
      const text = await within(clock, ANSWER_MS_MAX, client.get(PREFIX + session))
      const parsed = bindingSchema.safeParse(text === null ? null : parseJson(text))
      return parsed.success ? parsed.data : undefined
    } catch (error) {
      noteAway(error)
      return undefined
    }
  }
  const send = (command: Promise<unknown>) => void command.catch(noteAway)
  return {
    ...memory,
    get: (session) => {
      const known = memory.known(session)
      if (known !== undefined || clock.monotonic() < awayUntil) return known
      return lookUp(session)
    },
    set: (session, binding, lifeMs) => {
      memory.set(session, binding, lifeMs)
      if (clock.monotonic() < awayUntil) return
      send(
        client.set(PREFIX + session, JSON.stringify(binding), {
          expiration: { type: 'PX', value: Math.ceil(lifeMs) },
        }),
      )
    },
    delete: (session) => {
      memory.delete(session)
      if (clock.monotonic() >= awayUntil) send(client.del(PREFIX + session))
    },
    close: async () => {
      client.destroy()
    },
  }
}

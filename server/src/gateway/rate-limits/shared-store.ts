import type { Logger } from 'pino'
import { type Clock, within } from '../../clock.ts'
import {
  LIMIT_TIMES,
  type LimitLine,
  type LimitStore,
  type LimitTimes,
  type Verdict,
} from './limit-store.ts'
import { MemoryLimits } from './memory-limits.ts'
import { RedisLimits, type Taken } from './redis-limits.ts'

const CONNECT_MS_MAX = 2000

type SharedDeps = {
  url: string
  clock: Clock
  log: Pick<Logger, 'warn' | 'info'>
  times?: LimitTimes
}

/**
 * All nodes count together in Redis. Each node also counts its own requests in memory and falls
 * back to that count while Redis is unreachable.
 */
export async function openSharedStore(deps: SharedDeps): Promise<LimitStore> {
  const { url, clock, log, times = LIMIT_TIMES } = deps
  const memory = new MemoryLimits(clock.monotonic, times)
  const redis = new RedisLimits(url, times, clock)
  let isAway = false
  let retryAt = 0
  const noteAway = (error: unknown) => {
    if (!isAway) {
      log.warn({ error }, 'Redis does not answer; each node counts rate limits on its own')
    }
    isAway = true
  }
  await within(clock, CONNECT_MS_MAX, redis.connect()).catch(noteAway)

  /** `onLate` receives an answer that arrives after the deadline. */
  const takeInRedis = async (
    requestId: string,
    lines: readonly LimitLine[],
    onLate: (late: Taken) => void,
  ): Promise<Taken | null> => {
    if (isAway && clock.monotonic() < retryAt) return null
    retryAt = clock.monotonic() + times.awayMs
    const taking = redis.take(requestId, lines)
    try {
      const taken = await within(clock, times.answerMs, taking)
      if (isAway) log.info('Redis answers again; all nodes share rate limits')
      isAway = false
      return taken
    } catch (error) {
      noteAway(error)
      taking.then(onLate, () => {})
      return null
    }
  }

  return {
    take: async (requestId, lines): Promise<Verdict> => {
      const counted = lines.filter(({ isPeek }) => isPeek !== true)
      let isAdmitted = false
      const taken = await takeInRedis(requestId, lines, (late) =>
        redis.refundLate(requestId, isAdmitted ? counted.filter(isOfTokens) : counted, late),
      )
      const states = taken?.states ?? memory.peek(lines)
      if (states.some(({ waitMs }) => waitMs > 0)) return { states, taking: null }
      isAdmitted = true
      const inMemory = memory.add(counted)
      redis.renewPlaces(requestId, counted)
      const takenAt = taken?.at ?? null
      return {
        states,
        taking: {
          finish: (tokens) => {
            inMemory.finish(tokens)
            redis.finish(requestId, counted, { takenAt, tokens })
          },
          undo: () => {
            isAdmitted = false
            inMemory.undo()
            redis.undo(requestId, counted, takenAt)
          },
        },
      }
    },
    close: () => redis.close(),
  }
}

const isOfTokens = ({ measure }: LimitLine) => measure === 'tokens'

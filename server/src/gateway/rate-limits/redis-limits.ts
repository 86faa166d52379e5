import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { z } from 'zod'
import type { Clock, Timer } from '../../clock.ts'
import type { LimitLine, LimitState, LimitTimes } from './limit-store.ts'
import { createRedisClient, type RedisClient } from './redis-client.ts'
import { FINISH, RENEW, TAKE } from './redis-scripts.ts'

const RENEW_BATCH_SIZE = 500
/** Longest wait on close for commands in flight. */
const CLOSE_MS_MAX = 1000
/** The braces keep all keys in one slot of a Redis cluster. */
const PREFIX = '{tollgate-limits}:'

const replySchema = z.tuple([z.int()], z.int())

type Script = { readonly text: string; readonly sha: string }

const script = (text: string): Script => ({
  text,
  sha: createHash('sha1').update(text).digest('hex'),
})

const SCRIPTS = { take: script(TAKE), finish: script(FINISH), renew: script(RENEW) }

export type Taken = {
  /** Redis server time in milliseconds. */
  readonly at: number
  readonly states: readonly LimitState[]
}

export class RedisLimits {
  readonly #client: RedisClient
  readonly #times: LimitTimes
  readonly #running = new Map<string, readonly string[]>()
  readonly #sending = new Set<Promise<unknown>>()
  readonly #clock: Clock
  readonly #timer: Timer

  constructor(url: string, times: LimitTimes, clock: Clock) {
    this.#clock = clock
    this.#times = times
    this.#client = createRedisClient(url)
    // The next command fails on a broken connection, which is handled there.
    this.#client.on('error', () => {})
    this.#client.on('ready', () => {
      this.#load()
      this.#renew()
    })
    this.#client.connect().catch(() => {})
    this.#timer = clock.after(times.renewMs, () => {
      this.#renew()
      this.#timer.refresh()
    })
    this.#timer.unref()
  }

  /** Resolves when Redis is ready. Throws at the first failure, but reconnecting continues. */
  async connect() {
    await once(this.#client, 'ready')
  }

  /**
   * Takes from all limits if none has to wait. Throws connection errors; the caller sets the
   * deadline.
   */
  async take(requestId: string, lines: readonly LimitLine[]): Promise<Taken> {
    const { windowMs, sliceMs, placeMs, fullWaitMs } = this.#times
    const [at, ...numbers] = replySchema.parse(
      await this.#run(SCRIPTS.take, lines.map(keyOf), [
        requestId,
        windowMs,
        sliceMs,
        placeMs,
        fullWaitMs,
        ...lines.flatMap(({ measure, max, amount, isPeek = false }) => [
          isPeek ? 'peek' : measure,
          max,
          amount,
        ]),
      ]),
    )
    const states = lines.map((_, index) => {
      const [used = 0, waitMs = 0, resetMs = 0] = numbers.slice(3 * index, 3 * index + 3)
      return { used, waitMs, resetMs }
    })
    return { at, states }
  }

  /** Renews the concurrency places of a request until `finish` or `undo`. */
  renewPlaces(requestId: string, lines: readonly LimitLine[]) {
    const places = lines.filter(isPlace).map(keyOf)
    if (places.length === 0) return
    const before = this.#running.get(requestId) ?? []
    this.#running.set(requestId, [...before, ...places])
  }

  /** Refunds the tokens and places of a late `take`. The request itself stays counted. */
  refundLate(requestId: string, lines: readonly LimitLine[], { at, states }: Taken) {
    if (states.every(({ waitMs }) => waitMs === 0)) {
      this.#sendEnd(requestId, lines.filter(isAdjustable), { takenAt: at, tokens: 0 })
    }
  }

  /** `takenAt` is null for a request that Redis did not count. */
  finish(
    requestId: string,
    lines: readonly LimitLine[],
    { takenAt, tokens }: { takenAt: number | null; tokens: number },
  ) {
    this.#running.delete(requestId)
    this.#sendEnd(requestId, lines.filter(isAdjustable), { takenAt, tokens })
  }

  /** Refunds everything taken at `takenAt`, the request included. Null as in `finish`. */
  undo(requestId: string, lines: readonly LimitLine[], takenAt: number | null) {
    this.#running.delete(requestId)
    const counted = takenAt === null ? lines.filter(isPlace) : lines
    this.#sendEnd(requestId, counted, { takenAt, tokens: 0 })
  }

  #sendEnd(
    requestId: string,
    lines: readonly LimitLine[],
    { takenAt, tokens }: { takenAt: number | null; tokens: number },
  ) {
    if (lines.length === 0) return
    const { windowMs, sliceMs } = this.#times
    this.#send(SCRIPTS.finish, lines.map(keyOf), [
      requestId,
      windowMs,
      sliceMs,
      takenAt ?? 0,
      ...lines.flatMap(({ measure, amount }) => [
        measure,
        takenAt === null ? tokens : tokens - amount,
      ]),
    ])
  }

  async close() {
    this.#timer.close()
    const { promise: timedOut, resolve } = Promise.withResolvers<void>()
    const timer = this.#clock.after(CLOSE_MS_MAX, resolve)
    await Promise.race([Promise.allSettled(this.#sending), timedOut])
    timer.close()
    if (this.#client.isOpen) this.#client.destroy()
  }

  /** Loads the scripts before any other command, so that EVALSHA calls run in the order sent. */
  #load() {
    for (const { text } of Object.values(SCRIPTS)) this.#client.scriptLoad(text).catch(() => {})
  }

  #renew() {
    const places = [...this.#running].flatMap(([requestId, keys]) =>
      keys.map((key) => ({ requestId, key })),
    )
    for (let from = 0; from < places.length; from += RENEW_BATCH_SIZE) {
      const batch = places.slice(from, from + RENEW_BATCH_SIZE)
      const requests = batch.map(({ requestId }) => requestId)
      this.#send(
        SCRIPTS.renew,
        batch.map(({ key }) => key),
        [this.#times.placeMs, ...requests],
      )
    }
  }

  /** Lost commands heal with time: windows pass, and places expire unless renewed. */
  #send(what: Script, keys: string[], values: readonly (string | number)[]) {
    const sending = this.#run(what, keys, values).catch(() => {})
    this.#sending.add(sending)
    void sending.finally(() => this.#sending.delete(sending))
  }

  async #run({ sha, text }: Script, keys: string[], values: readonly (string | number)[]) {
    const options = { keys, arguments: values.map(String) }
    try {
      return await this.#client.evalSha(sha, options)
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return this.#client.eval(text, options)
    }
  }
}

const isPlace = ({ measure }: LimitLine) => measure === 'concurrent'

const isAdjustable = ({ measure }: LimitLine) => measure !== 'requests'

const keyOf = ({ scope, id, measure }: LimitLine) => `${PREFIX}${scope}:${id}:${measure}`

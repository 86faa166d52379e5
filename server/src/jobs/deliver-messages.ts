import type { Logger } from 'pino'
import { ALERT_RECEIVERS } from '@tollgate/contract'
import { isReceiverSetUp } from '../integrations/alert-receivers.ts'
import { addAlert } from '../store/alerts.ts'
import {
  claimDue,
  enqueue,
  onEnqueued,
  removeMessage,
  type QueuedMessage,
} from '../store/outbox.ts'
import { isAlert, type Message, messageSchema } from '../text/message.ts'
import type { ClaimDeps } from './claims.ts'
import { deliver, type DeliverDeps, type DeliveryResult, type DeliveryAttempt } from './deliver.ts'

export type DeliveryDeps = DeliverDeps & ClaimDeps & { log: Logger }

const POLL_MS = 3000
/** A message is announced before its transaction commits. */
const WAKE_MS = 50
/** When the server stops, running sends get this long. Unsent messages wait for the next start. */
const STOP_MS = 5000

const AT_ONCE = 4
const ROUND_MAX = 200

const MINUTE_SECONDS = 60
/**
 * The first pause is longer than the longest attempt, so that no two nodes send a message at the
 * same time.
 */
const PAUSE_MINUTES = [1, 5, 15, 60]
const TRIES_MAX = 5
const AGE_SECONDS_MAX = 24 * 3600

const pauseSeconds = (tries: number) =>
  (PAUSE_MINUTES[tries - 1] ?? Math.max(...PAUSE_MINUTES)) * MINUTE_SECONDS

/**
 * Sends the messages in the outbox: at once if this process enqueued them, otherwise within
 * seconds.
 */
export function startDelivering(
  deps: DeliveryDeps,
  { pollMs = POLL_MS } = {},
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const cutOff = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let isWoken = false
  let isRunning = false
  let round = Promise.resolve()
  const over = new Set<number>()
  const ended = createFailureLogger(deps.log)

  const lookIn = (milliseconds: number) => {
    clearTimeout(timer)
    if (!stopping.signal.aborted) timer = setTimeout(look, milliseconds).unref()
  }
  const look = () => {
    isWoken = false
    isRunning = true
    round = deliverDue(deps, { stopping: stopping.signal, cutOff: cutOff.signal, over })
      .then(() => ended(), ended)
      .then(() => {
        isRunning = false
        lookIn(isWoken ? WAKE_MS : pollMs)
      })
  }
  const stopListening = onEnqueued(() => {
    isWoken = true
    if (!isRunning) lookIn(WAKE_MS)
  })
  lookIn(WAKE_MS)
  return {
    stop: async () => {
      stopListening()
      stopping.abort()
      clearTimeout(timer)
      const stopTimer = setTimeout(() => cutOff.abort(), STOP_MS)
      await round
      clearTimeout(stopTimer)
    },
  }
}

/**
 * Receives the outcome of each round. Logs one line when rounds begin to fail and one when they
 * succeed again.
 */
function createFailureLogger(log: Logger): (error?: unknown) => void {
  let isOut = false
  return (error) => {
    const wasOut = isOut
    isOut = error !== undefined
    if (isOut && !wasOut) log.warn({ error }, 'the outbox cannot be processed')
    if (wasOut && !isOut) log.info('the outbox is processed again')
  }
}

type Round = {
  /** No new send begins. */
  stopping?: AbortSignal
  /** Aborts running sends, which are retried later. */
  cutOff?: AbortSignal
  /** Messages that are finished but could not be removed because the database was unavailable. */
  over?: Set<number>
}

/** One round: sends everything that is due now, `AT_ONCE` at a time. */
export async function deliverDue(
  deps: DeliveryDeps,
  { stopping, cutOff, over = new Set() }: Round = {},
): Promise<void> {
  const remove = async (id: number) => {
    over.add(id)
    await removeMessage(deps.database.kysely, id)
    over.delete(id)
  }
  for (const id of over) await remove(id)
  let left = ROUND_MAX
  const work = async () => {
    while (left > 0 && !stopping?.aborted) {
      left -= 1
      const now = Math.floor(deps.now() / 1000)
      const waiting = await claimDue(deps.database.kysely, { now, pauseSeconds })
      if (!waiting) return
      deps.claimed?.('messages')
      const attempt = { ageSeconds: now - waiting.created_at, signal: cutOff }
      if (over.has(waiting.id) || (await isEnd(deps, waiting, attempt))) await remove(waiting.id)
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason
}

/** Makes one attempt; false if there should be another. */
async function isEnd(
  deps: DeliveryDeps,
  { id, message: json, tries }: QueuedMessage,
  attempt: DeliveryAttempt,
): Promise<boolean> {
  const message = readMessage(json)
  if (message && isAlert(message)) await recordAlert(deps, { id, json })
  const result = message ? await attemptDelivery(deps, message, { tries, ...attempt }) : UNREADABLE
  const about = { message: id, type: message?.type, tries }
  if (result.type === 'failed') {
    const { reason } = result
    if (!result.isFinal && tries < TRIES_MAX) {
      const level = tries === 1 ? 'info' : 'debug'
      deps.log[level]({ ...about, reason }, 'a message could not be sent and will be tried again')
      return false
    }
    deps.log.warn({ ...about, reason }, 'a message could not be delivered')
  }
  return true
}

const UNREADABLE: DeliveryResult = { type: 'failed', reason: 'it cannot be read', isFinal: true }

/**
 * Adds an alert to the history before its first attempt, and a copy for each receiver. Each copy is
 * a message of its own, so that one receiver's failure repeats no other.
 */
async function recordAlert(
  { database, settings, now }: DeliveryDeps,
  { id, json }: { id: number; json: string },
) {
  const seconds = Math.floor(now() / 1000)
  const receivers = ALERT_RECEIVERS.filter((name) => isReceiverSetUp(name, settings.current()))
  await database.transaction(async (tx) => {
    if (!(await addAlert(tx, { id, message: json, created_at: seconds }))) return
    for (const receiver of receivers) {
      await enqueue(tx, { type: 'alert-copy', receiver, alert_id: id }, seconds)
    }
  })
}

async function attemptDelivery(
  deps: DeliveryDeps,
  message: Message,
  { tries, ...attempt }: DeliveryAttempt & { tries: number },
): Promise<DeliveryResult> {
  if (tries > TRIES_MAX)
    return { type: 'failed', reason: 'every attempt was interrupted', isFinal: true }
  if (attempt.ageSeconds > AGE_SECONDS_MAX) {
    return { type: 'failed', reason: 'it has waited for a day', isFinal: true }
  }
  return deliver(deps, message, attempt)
}

function readMessage(json: string): Message | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(json)).data
  } catch {
    return undefined
  }
}

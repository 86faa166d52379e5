import { type Due, NOT_DUE } from '../../deadlines.ts'
import type { Refusal } from '../errors.ts'
import type { GatewayLimits } from '../limits.ts'
import type { Client, ClosedListener } from './client.ts'

export type SendLimits = Pick<GatewayLimits, 'sendMs' | 'clientStallMs' | 'unwatchedSendMs'>

/**
 * Writes the last bytes and resolves when the connection closes or the client has taken them.
 * Destroys the connection of a client that is too slow.
 */
export function finishResponse(
  client: Client,
  bytes: Buffer | string,
  limits: SendLimits,
): Promise<void> {
  if (client.response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    client.listenForClose(new Sending(client, limits, resolve))
    client.response.end(bytes)
  })
}

/** The end of a response, which is watched only if it takes long. */
class Sending implements Due, ClosedListener {
  dueAt = Infinity
  dueSlot = NOT_DUE
  readonly #client: Client
  readonly #limits: SendLimits
  readonly #resolve: () => void
  #unwatch: (() => void) | null = null

  constructor(client: Client, limits: SendLimits, resolve: () => void) {
    this.#client = client
    this.#limits = limits
    this.#resolve = resolve
    client.deadlines.set(this, limits.unwatchedSendMs)
  }

  onDue() {
    this.#unwatch = watchSending(this.#client, this.#limits)
  }

  onClosed() {
    this.#client.deadlines.clear(this)
    this.#unwatch?.()
    this.#resolve()
  }
}

/** Returns a function that ends the watch. */
function watchSending(
  { response, clock }: Pick<Client, 'response' | 'clock'>,
  { sendMs, clientStallMs }: SendLimits,
): () => void {
  const { socket } = response
  const cutOff = () => response.destroy()
  const timer = clock.after(sendMs, cutOff)
  socket?.setTimeout(clientStallMs, cutOff)
  return () => {
    timer.close()
    socket?.off('timeout', cutOff)
    // The socket may already carry another timeout, set by the server for idle connections.
    if (socket?.timeout === clientStallMs) socket.setTimeout(0)
  }
}

type SentAnswer = {
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
  /** The charge in dollars, if the client learns it. */
  readonly cost: number | null
}

const COST_HEADER = 'x-tollgate-cost'

/** Finer than any unit of quota. */
const DOLLAR_DECIMALS = 12

/** Never in the form 2e-7, which some clients cannot read. */
const dollarText = (dollars: number) => dollars.toFixed(DOLLAR_DECIMALS).replace(/\.?0+$/, '')

/** Sends status, type and body, and no other header of the upstream. */
export function sendAnswer(
  client: Client,
  { status, contentType, body, cost }: SentAnswer,
  limits: SendLimits,
): Promise<void> {
  if (client.disconnected) return Promise.resolve()
  const headers = { 'content-type': contentType, 'content-length': body.length }
  client.response.writeHead(
    status,
    cost === null ? headers : { ...headers, [COST_HEADER]: dollarText(cost) },
  )
  return finishResponse(client, body, limits)
}

/** Sends an error response. If a response has begun, the connection is destroyed instead. */
export async function respondWithRefusal(
  client: Client,
  refusal: Refusal,
  { requestId, closes }: { requestId: string; closes: boolean },
  limits: SendLimits,
): Promise<void> {
  const { response, dialect } = client
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, body: text } = dialect.error(refusal.toClientError(requestId))
  const body = Buffer.from(text)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    ...(refusal.retryAfterSeconds === null
      ? {}
      : { 'retry-after': String(Math.max(1, refusal.retryAfterSeconds)) }),
    ...(refusal.isUnpaid ? { 'x-should-retry': 'false' } : {}),
    ...(refusal.upgrade === null ? {} : { upgrade: refusal.upgrade, connection: 'close, upgrade' }),
    // Without `close` the rest of the announced body would have to be read first.
    ...(closes ? { connection: 'close' } : {}),
  })
  await finishResponse(client, body, limits)
}

export function respondWithJson(client: Client, body: object, limits: SendLimits): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body))
  client.response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
  })
  return finishResponse(client, bytes, limits)
}

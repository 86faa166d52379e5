import { z } from 'zod'
import { type Delta, readEvents, readPiece, RelayError, relayError } from './read-answer.ts'

type RequestBody = Readonly<Record<string, unknown>> & { stream: boolean }

type Chat = {
  /** Base URL of the API, or a path on the origin of the page. */
  base: string
  key: string
  body: RequestBody
  signal: AbortSignal
  onStart: (requestId: string) => void
  onDelta: (delta: Delta) => void
}

const refusal = z.object({ error: relayError })

/** Sends a request as any client would. Throws `RelayError`, also for a lost connection. */
export async function sendChat({ base, key, body, signal, onStart, onDelta }: Chat) {
  const response = await fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'omit',
    signal,
  }).catch(lost('unreachable'))
  onStart(response.headers.get('X-Oneapi-Request-Id') ?? '')
  if (!response.ok || response.body === null) throw await errorOf(response)
  if (body.stream) {
    await passEvents(response.body, onDelta).catch(lost('broken_stream'))
  } else {
    pass(await response.json(), onDelta)
  }
}

async function passEvents(body: ReadableStream<Uint8Array>, onDelta: Chat['onDelta']) {
  for await (const event of readEvents(body)) pass(event, onDelta)
}

/** Browsers report a lost connection as a `TypeError` whose message says nothing. */
const lost = (code: 'unreachable' | 'broken_stream') => (error: unknown) => {
  throw error instanceof TypeError ? new RelayError('', code) : error
}

function pass(json: unknown, onDelta: Chat['onDelta']) {
  const delta = readPiece(json)
  if (delta) onDelta(delta)
}

async function errorOf(response: Response): Promise<RelayError> {
  const { status, statusText } = response
  const json: unknown = await response.json().catch(() => null)
  const { data } = refusal.safeParse(json)
  return new RelayError(data?.error.message ?? `${status} ${statusText}`.trim(), data?.error.code)
}

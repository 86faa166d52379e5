import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import {
  ChatStream,
  createResponsesDialect,
  isRecord,
  parseJson,
  parseUsage,
  readChatAnswer,
  StreamObserver,
} from '@tollgate/relay'
import { finish } from '../../../relay/src/bytes/steps.ts'
import { NO_USAGE } from '../../../relay/src/usage/usage.ts'
import {
  COMPLETION_TOKENS,
  PROMPT_TOKENS,
  type ReceivedChat,
  type Reply,
} from '../clients/received-chat.ts'
import { refusalBy } from '../fakes/scripted-upstream.ts'
import { portOf } from '../harness/port-of.ts'
import { type Asked, readAsked } from './asked.ts'
import type { Double } from './doubles.ts'

/** A reply, and how the vendor gives it. */
export type Turn = {
  readonly reply: Reply
  /** Reports a token for every four bytes of the request, as vendors about do. */
  readonly counts?: boolean
  /** The second half follows when this is fulfilled. */
  readonly pausesFor?: Promise<void>
}

export type DoubleServer = {
  readonly double: Double
  /** For the channel: every host behind this proxy is the double. */
  readonly proxy: string
  /** Chats that were answered since `begin`. */
  readonly answered: () => number
  /** Prompt tokens that it has reported since `begin`, by answer. */
  readonly reported: () => readonly number[]
  /** Rules that chats have broken since `begin`. */
  readonly refused: () => readonly string[]
  readonly begin: (play: (asked: Asked) => Turn) => void
  readonly close: () => Promise<void>
}

/** The wires write an answer without a look at the rest of the request. */
const UNREAD: Omit<ReceivedChat, 'stream'> = {
  texts: [],
  images: [],
  tools: [],
  calls: [],
  results: [],
  schema: undefined,
  reasoning: 'none',
  reasoningCount: 0,
}

/** Plays a vendor: refuses what its rules refuse, and lets a script answer the rest. */
export async function openDouble(double: Double): Promise<DoubleServer> {
  let play: ((asked: Asked) => Turn) | undefined
  let refused: string[] = []
  let reported: number[] = []

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '/', headers } = request
    const isChatAt = (path: string) => double.vendors.some(({ chatPath }) => chatPath.test(path))
    const path = isChatAt(url) ? url : new URL(url, 'http://double').pathname
    const received = { path, headers, body: await buffer(request) }
    const send = (status: number, type: string, text: string) =>
      void response.writeHead(status, { 'content-type': type }).end(text)
    const body = parseJson(received.body.toString())
    if (!isChatAt(path) || !isRecord(body) || play === undefined) {
      return send(404, 'application/json', '{"error":{"message":"not found"}}')
    }
    for (const vendor of double.vendors) {
      const refusal = refusalBy(vendor, received)
      if (refusal === null) continue
      refused.push(`${refusal.id} (${refusal.text})`)
      return send(refusal.status, 'application/json', JSON.stringify(refusal.body))
    }
    const asked = readAsked(path, body)
    const { reply, counts = false, pausesFor } = play(asked)
    const text = double.wire.write(spoken(reply), { ...UNREAD, stream: asked.stream })
    const promptTokens = counts ? Math.ceil(received.body.length / TOKEN_BYTES) : PROMPT_TOKENS
    reported.push(promptTokens)
    const type = asked.stream ? 'text/event-stream' : 'application/json'
    const told = withPromptTokens(asFrom(double, text, reported.length), promptTokens)
    const whole = RESPONSES.test(path) ? asResponse(told, received, asked) : told
    if (pausesFor === undefined) return send(200, type, whole)
    response.writeHead(200, { 'content-type': type }).write(whole.slice(0, whole.length / 2))
    await pausesFor
    response.end(whole.slice(whole.length / 2))
  }

  const spoken = (told: Reply): Reply =>
    double.reasoningMember === null ? { ...told, reasoning: '' } : told

  const { port, close } = await openProxy((request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  })

  return {
    double,
    proxy: `http://127.0.0.1:${port}`,
    answered: () => reported.length,
    reported: () => reported,
    refused: () => refused,
    begin: (next) => {
      play = next
      refused = []
      reported = []
    },
    close,
  }
}

/** A server that is also an HTTP proxy in front of itself, for whatever host. */
async function openProxy(listener: RequestListener) {
  const sockets = new Set<Socket>()
  const server = createServer(listener)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('connect', (_request, client: Socket) => {
    const inner = connect(port, '127.0.0.1')
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    inner.pipe(client).pipe(inner)
    client.on('error', () => {}).on('close', () => inner.destroy())
    inner.on('error', () => {}).on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  return {
    port,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const RESPONSES = /\/responses$/

/** A provider's answers have no content of the gateway. */
const NO_CIPHER = { encrypt: () => '', decrypt: () => null, isOwn: () => false }

/** The answer of a chat in the form of the Responses API. */
function asResponse(
  text: string,
  { headers, body }: { headers: IncomingHttpHeaders; body: Buffer },
  { stream }: Asked,
): string {
  const dialect = createResponsesDialect({ now: Date.now, cipherFor: () => NO_CIPHER })
  finish(dialect.readRequest('chat', body, headers))
  const bytes = Buffer.from(text)
  if (!stream) {
    const answer = readChatAnswer(parseJson(text))
    const charged = { usage: parseUsage(answer.usage) ?? NO_USAGE, bytes: bytes.length }
    return finish(dialect.answer(answer, charged)).toString()
  }
  const encoder = dialect.createEncoder()
  const observer = new StreamObserver()
  const events = encoder.write(new ChatStream(observer).read(bytes))
  const { withheldUsage: reported } = observer
  const head = { ...observer.head, model: observer.model ?? '' }
  const usage = reported && { head, promptTokens: 0, completionTokens: 0, reported }
  return events + encoder.end(usage)
}

const TOKEN_BYTES = 4
const PROMPT = new RegExp(
  `"(prompt_tokens|input_tokens|promptTokenCount|prompt_eval_count)":${PROMPT_TOKENS}(?=\\D)`,
  'g',
)
const TOTAL = new RegExp(
  `"(total_tokens|totalTokenCount)":${PROMPT_TOKENS + COMPLETION_TOKENS}(?=\\D)`,
  'g',
)

/** The wires report a constant usage. */
const withPromptTokens = (text: string, count: number): string =>
  text.replaceAll(PROMPT, `"$1":${count}`).replaceAll(TOTAL, `"$1":${count + COMPLETION_TOKENS}`)

/** The wires write a constant id, but agents join answers that have the same. */
function asFrom({ reasoningMember }: Double, text: string, turn: number): string {
  const told = text.replaceAll(/"(chatcmpl-1|msg_01A|r1)"/g, `"$1${turn}"`)
  return told.replaceAll('"reasoning_content"', `"${reasoningMember}"`)
}

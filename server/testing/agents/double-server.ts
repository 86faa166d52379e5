import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
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
import { finish } from '../../../relay/src/steps.ts'
import { NO_USAGE } from '../../../relay/src/usage.ts'
import type { ReceivedChat, Reply } from '../clients/received-chat.ts'
import { refusalBy } from '../fakes/scripted-upstream.ts'
import { portOf } from '../harness/port-of.ts'
import { type Asked, readAsked } from './asked.ts'
import type { Double } from './doubles.ts'

export type DoubleServer = {
  readonly double: Double
  /** For the channel: every host behind this proxy is the double. */
  readonly proxy: string
  /** Chats that were answered since `begin`. */
  readonly answered: () => number
  /** Rules that chats have broken since `begin`. */
  readonly refused: () => readonly string[]
  readonly begin: (reply: (asked: Asked) => Reply) => void
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
  const sockets = new Set<Socket>()
  let reply: ((asked: Asked) => Reply) | undefined
  let refused: string[] = []
  let answered = 0

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '/', headers } = request
    const isChatAt = (path: string) => double.vendors.some(({ chatPath }) => chatPath.test(path))
    const path = isChatAt(url) ? url : new URL(url, 'http://double').pathname
    const received = { path, headers, body: await buffer(request) }
    const send = (status: number, type: string, text: string) =>
      void response.writeHead(status, { 'content-type': type }).end(text)
    const body = parseJson(received.body.toString())
    if (!isChatAt(path) || !isRecord(body) || reply === undefined) {
      return send(404, 'application/json', '{"error":{"message":"not found"}}')
    }
    for (const vendor of double.vendors) {
      const refusal = refusalBy(vendor, received)
      if (refusal === null) continue
      refused.push(`${refusal.id} (${refusal.text})`)
      return send(refusal.status, 'application/json', JSON.stringify(refusal.body))
    }
    const asked = readAsked(path, body)
    const text = double.wire.write(spoken(reply(asked)), { ...UNREAD, stream: asked.stream })
    answered += 1
    const type = asked.stream ? 'text/event-stream' : 'application/json'
    const told = asFrom(double, text, asked.results.length)
    send(200, type, RESPONSES.test(path) ? asResponse(told, received, asked) : told)
  }

  const spoken = (told: Reply): Reply =>
    double.reasoningMember === null ? { ...told, reasoning: '' } : told

  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  })
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
    double,
    proxy: `http://127.0.0.1:${port}`,
    answered: () => answered,
    refused: () => refused,
    begin: (next) => {
      reply = next
      refused = []
      answered = 0
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const RESPONSES = /\/responses$/

/** The answer of a chat in the form of the Responses API. */
function asResponse(
  text: string,
  { headers, body }: { headers: IncomingHttpHeaders; body: Buffer },
  { stream }: Asked,
): string {
  const dialect = createResponsesDialect({ now: Date.now })
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

/** The wires write a constant id, but agents join answers that have the same. */
function asFrom({ reasoningMember }: Double, text: string, turn: number): string {
  const told = text.replaceAll(/"(chatcmpl-1|msg_01A|r1)"/g, `"$1${turn}"`)
  return told.replaceAll('"reasoning_content"', `"${reasoningMember}"`)
}

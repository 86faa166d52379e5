import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import { descriptorOf } from '@tollgate/relay'
import { addressOf } from '../worlds/gateway-world.ts'
import type { Received } from './received.ts'
import type { TypeRow } from './type-row.ts'

export type Stand = {
  /** The base URL that an operator would enter for the channel. */
  baseUrl: string
  /** Without the token exchanges. */
  received: Received[]
  /** Rejects every key from now on. */
  refuse: () => void
  close: () => Promise<void>
}

export type Answer = { status: number; type: string; body: string | Buffer }

/** Overrides for the provider's answers. The lines of a body are sent as WebSocket frames. */
type Own = {
  answerTo?: (call: Received) => Answer | Promise<Answer>
  /** The first messages on a new WebSocket, one per line. */
  greet?: (call: Received) => string
}

/**
 * Plays the provider of one channel type: its paths, its wire format, its error texts and its
 * signature check.
 */
export async function openStand(
  row: TypeRow,
  { answerTo = (call) => scriptedAnswer(row, call), greet = () => '' }: Own = {},
): Promise<Stand> {
  const received: Received[] = []
  let refuses = false
  const { exchange } = row
  const asksToken = ({ path }: Received) => exchange?.path.split('?')[0] === path.split('?')[0]
  const isRefused = (call: Received) =>
    refuses || (asksToken(call) ? call.path !== exchange?.path : row.isSigned?.(call) === false)
  const refusal = { ...row.refusal, type: 'application/json' }

  const server = createServer((request, response) => {
    void receive(request).then(async (call) => {
      const isForToken = asksToken(call)
      if (!isForToken) received.push(call)
      const refused = isForToken ? { ...refusal, ...exchange?.refusal } : refusal
      const token = { status: 200, type: 'application/json', body: exchange?.answer ?? '' }
      const told = () => (isForToken ? token : answerTo(call))
      const answer = isRefused(call) ? refused : await told()
      response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body)
    })
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    const call = { ...opened(request), body: Buffer.alloc(0) }
    if (isRefused(call)) {
      const { status, body } = refusal
      const headers = `content-type: application/json\r\ncontent-length: ${body.length}`
      socket.end(`HTTP/1.1 ${status} No\r\n${headers}\r\n\r\n${body}`)
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      sendLines(webSocket, greet(call))
      webSocket.on('message', (data) => {
        const asked = { ...call, body: Buffer.isBuffer(data) ? data : Buffer.alloc(0) }
        received.push(asked)
        void Promise.resolve(answerTo(asked)).then(({ body }) => sendLines(webSocket, body))
      })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')

  return {
    baseUrl: addressOf(server.address()) + basePathOf(row),
    received,
    refuse: () => {
      refuses = true
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function sendLines(socket: WebSocket, body: string | Buffer) {
  const lines = body.toString().trim().split('\n')
  for (const line of lines) if (line !== '') socket.send(line)
}

/** Path prefix of the provider's default base URL, or an empty string. */
function basePathOf({ type }: TypeRow): string {
  const base = descriptorOf(type)?.baseUrl ?? ''
  return base === '' ? '' : new URL(base).pathname.replace(/\/$/, '')
}

const opened = ({ method = '', url: path = '', headers }: IncomingMessage) => ({
  method,
  path,
  headers,
})

const receive = async (request: IncomingMessage): Promise<Received> => ({
  ...opened(request),
  body: await buffer(request),
})

function scriptedAnswer(row: TypeRow, call: Received): Answer {
  const json = { status: 200, type: 'application/json' }
  if (row.transport === 'websocket') return { ...json, body: row.answerBody }
  const [path = ''] = call.path.split('?')
  const balance = row.balance?.answers[path]
  if (balance !== undefined) return { ...json, body: JSON.stringify(balance) }
  if (!asksStream(call)) return { ...json, body: row.answerBody }
  const { body, type = 'text/event-stream' } = row.stream
  return { status: 200, type, body }
}

/** Providers signal a stream in one of three ways. */
const asksStream = ({ path, headers, body }: Received) =>
  /"[Ss]tream":true/.test(body.toString()) ||
  path.includes(':streamGenerateContent') ||
  headers['x-dashscope-sse'] === 'enable'

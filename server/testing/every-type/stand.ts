import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import { descriptorOf } from '@tollgate/relay'
import { addressOf } from '../gateway-fixture.ts'
import type { TypeRow } from './type-row.ts'

export type Received = {
  method: string
  /** With its parameters. */
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

export type Stand = {
  /** What an operator writes as the address of the channel. */
  baseUrl: string
  /** Without the calls that only ask for a token. */
  received: Received[]
  /** From now on nobody's key is known. */
  refuse: () => void
  close: () => Promise<void>
}

export type Answer = { status: number; type: string; body: string | Buffer }

/** What the provider does beside answering; its frames are the lines of the body. */
type Own = {
  answerTo?: (call: Received) => Answer | Promise<Answer>
  /** Said first to who opens a WebSocket, in lines. */
  greet?: (call: Received) => string
}

/** Stands for the provider of one type of channel: at its paths, in its words, and not without its signature. */
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

/** The provider's own address has a path in front of that of its calls, or none. */
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
  if (row.transport === 'websocket') return { ...json, body: row.whole }
  const [path = ''] = call.path.split('?')
  const balance = row.balance?.answers[path]
  if (balance !== undefined) return { ...json, body: JSON.stringify(balance) }
  if (!asksStream(call)) return { ...json, body: row.whole }
  const { body, type = 'text/event-stream' } = row.stream
  return { status: 200, type, body }
}

/** Providers are told in three ways. */
const asksStream = ({ path, headers, body }: Received) =>
  /"[Ss]tream":true/.test(body.toString()) ||
  path.includes(':streamGenerateContent') ||
  headers['x-dashscope-sse'] === 'enable'

import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { bytesOf } from '../../src/upstream/web-socket-transfer.ts'
import { addressOf } from '../worlds/gateway-world.ts'

const eventSchema = z.looseObject({ type: z.string() })

export type WireEvent = z.output<typeof eventSchema>

export type ProviderSide = {
  readonly headers: IncomingHttpHeaders
  readonly url: string
  /** Events from the client, oldest first. */
  readonly received: WireEvent[]
  /** Resolves with the `count`-th event of a type, or never. */
  readonly next: (type: string, count?: number) => Promise<WireEvent>
  readonly send: (event: object | string | Buffer) => void
  readonly close: (code: number, reason?: string) => void
  /** Destroys the connection without a close frame. */
  readonly cut: () => void
  readonly pause: () => void
  readonly resume: () => void
  /** Null while the session is open. */
  readonly closeCode: () => number | null
}

/** The provider's script for one session. */
export type Playing = (side: ProviderSide) => void | Promise<void>
/** Rejects the handshake. */
export type Refusing = { refuse: (socket: Duplex) => void }

export type RealtimeUpstream = {
  baseUrl: (name: string) => string
  /** Scripts of the sessions, in order; the last one repeats. */
  script: (name: string, ...plays: (Playing | Refusing)[]) => void
  sessionsOf: (name: string) => ProviderSide[]
  /** Number of handshakes, accepted or not. */
  asked: (name: string) => number
  close: () => Promise<void>
}

/** Plays any number of Realtime providers; the first path segment names the provider. */
export async function startRealtimeUpstream(): Promise<RealtimeUpstream> {
  const scripts = new Map<string, (Playing | Refusing)[]>()
  const sessions = new Map<string, ProviderSide[]>()
  const asked = new Map<string, number>()
  const webSockets = new WebSocketServer({ noServer: true })
  const server = createServer((_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(404).end()
  })
  const sockets = new Set<Duplex>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const [, name = ''] = (request.url ?? '').split('/')
    asked.set(name, (asked.get(name) ?? 0) + 1)
    const plays = scripts.get(name) ?? []
    const play = plays.length > 1 ? plays.shift() : plays[0]
    if (play === undefined) throw new Error(`provider ${name} has no script`)
    if (typeof play !== 'function') return play.refuse(socket)
    webSockets.handleUpgrade(request, socket, head, (opened) => {
      const side = sideOf(opened, request, name)
      sessions.set(name, [...(sessions.get(name) ?? []), side])
      void play(side)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = addressOf(server.address())
  return {
    baseUrl: (name) => `${url}/${name}`,
    script: (name, ...plays) => void scripts.set(name, plays),
    sessionsOf: (name) => sessions.get(name) ?? [],
    asked: (name) => asked.get(name) ?? 0,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function sideOf(socket: WebSocket, request: IncomingMessage, name: string): ProviderSide {
  const received: WireEvent[] = []
  const waiting = new Set<() => void>()
  let closeCode: number | null = null
  socket.on('message', (data) => {
    received.push(eventSchema.parse(JSON.parse(bytesOf(data).toString())))
    for (const look of waiting) look()
  })
  socket.on('close', (code) => (closeCode = code))
  socket.on('error', () => {})
  return {
    headers: request.headers,
    url: (request.url ?? '').slice(name.length + 1),
    received,
    next: (type, count = 1) =>
      new Promise((resolve) => {
        const look = () => {
          const found = received.filter((event) => event.type === type)[count - 1]
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    send: (event) => {
      const isRaw = typeof event === 'string' || Buffer.isBuffer(event)
      socket.send(isRaw ? event : JSON.stringify(event))
    },
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    closeCode: () => closeCode,
  }
}

const SESSION = {
  id: 'sess_1',
  object: 'realtime.session',
  type: 'realtime',
  model: 'gpt-realtime-2025-08-28',
  instructions: 'Be kind.',
  output_modalities: ['audio'],
  tools: [],
  audio: {
    input: {
      format: { type: 'audio/pcm', rate: 24_000 },
      transcription: null,
      turn_detection: null,
    },
    output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'marin' },
  },
}

export const sessionCreated = (session: object = {}) => ({
  type: 'session.created',
  event_id: 'event_created',
  session: { ...SESSION, ...session },
})

/**
 * Input: 100 text tokens (40 cached) and 60 audio tokens (20 cached). Output: 10 text and 30 audio
 * tokens.
 */
export const USAGE = {
  total_tokens: 200,
  input_tokens: 160,
  output_tokens: 40,
  input_token_details: {
    text_tokens: 100,
    audio_tokens: 60,
    cached_tokens: 60,
    cached_tokens_details: { text_tokens: 40, audio_tokens: 20 },
  },
  output_token_details: { text_tokens: 10, audio_tokens: 30 },
}

export const responseCreated = (id: string, response: object = {}) => ({
  type: 'response.created',
  event_id: `event_c_${id}`,
  response: { id, object: 'realtime.response', status: 'in_progress', output: [], ...response },
})

export const textDelta = (id: string, delta: string) => ({
  type: 'response.output_text.delta',
  event_id: 'event_d',
  response_id: id,
  item_id: 'item_1',
  output_index: 0,
  content_index: 0,
  delta,
})

export const audioDelta = (id: string, bytes: number) => ({
  ...textDelta(id, Buffer.alloc(bytes).toString('base64')),
  type: 'response.output_audio.delta',
})

export const responseDone = (
  id: string,
  {
    usage = USAGE,
    status = 'completed',
    ...more
  }: { usage?: object | null; status?: string } & Record<string, unknown> = {},
) => ({
  type: 'response.done',
  event_id: `event_e_${id}`,
  response: { id, object: 'realtime.response', status, output: [], usage, ...more },
})

/** Sends `session.created`, and answers every `response.create` with a short text and its usage. */
export const answersAll =
  (usage: object | null = USAGE): Playing =>
  async (side) => {
    side.send(sessionCreated())
    for (let count = 1; count <= 100; count += 1) {
      await side.next('response.create', count)
      const id = `resp_${count}`
      side.send(responseCreated(id))
      side.send(textDelta(id, 'Hello there'))
      side.send(responseDone(id, { usage }))
    }
  }

/** An HTTP error in place of a session. */
export const refuses = (status: number, body: object): Refusing => ({
  refuse: (socket) => {
    const text = JSON.stringify(body)
    socket.end(
      `HTTP/1.1 ${status} No\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    )
  },
})

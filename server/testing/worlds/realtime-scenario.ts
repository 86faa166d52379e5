import { once } from 'node:events'
import OpenAI from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { REALTIME_LIMITS, type RealtimeLimits } from '../../src/gateway/limits.ts'
import { bytesOf } from '../../src/upstream/web-socket-transfer.ts'
import {
  type Playing,
  type RealtimeUpstream,
  type Refusing,
  responseCreated,
  responseDone,
  sessionCreated,
  startRealtimeUpstream,
} from '../fakes/realtime-upstream.ts'
import { openTlsFront } from '../fakes/tls-front.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { type Provider, setUp, type Setup, type World } from './relay-scenario.ts'

export const REALTIME_MODEL = 'gpt-realtime'
/** Cost of one response with USAGE: (60 + 40 × 8 + 60 × 0.1 + 10 × 4 + 30 × 16) × 2. */
export const RESPONSE_COST = 1812
/** Enough for several responses and the holds of the next ones. */
export const REALTIME_QUOTA = 10_000_000

export const CREATE = { type: 'response.create' }
export const TRANSCRIPT = 'conversation.item.input_audio_transcription'
export const TRANSCRIPT_USAGE = {
  type: 'tokens',
  input_tokens: 10,
  output_tokens: 5,
  total_tokens: 15,
  input_token_details: { audio_tokens: 10, text_tokens: 0 },
}
/** A second of audio, which is ten tokens of input. */
export const SECOND = Buffer.alloc(48_000).toString('base64')

/** Settings of a session that answers speech, and the event that announces speech. */
export const listens = { audio: { input: { turn_detection: { type: 'server_vad' } } } }
export const speechStarted = { type: 'input_audio_buffer.speech_started', audio_start_ms: 0 }

/** Holds of a stream are small, and text costs a unit, output four. */
export const SMALL_HOLDS: NonNullable<Setup['options']> = [
  ['StreamHoldTokens', '256'],
  ['ModelRatio', '{"gpt-realtime": 1}'],
  ['AudioCompletionRatio', '{"gpt-realtime": 4}'],
]

/** A provider that does only what a test says. */
export const waits: Playing = () => {}

export type RealtimeWorld = World & {
  provider: RealtimeUpstream
  /** The gateway behind TLS, which the official client requires. */
  secureUrl: string
}

export type RealtimeSetup = Omit<Setup, 'limits'> & {
  realtime?: Partial<RealtimeLimits>
  limits?: Omit<NonNullable<Setup['limits']>, 'realtime'>
  providers?: Partial<Provider>[]
}

/** Starts one Realtime provider per list of scripts. */
export async function setUpRealtime(
  plays: readonly (readonly (Playing | Refusing)[])[],
  { realtime = {}, limits = {}, providers = [], ...setup }: RealtimeSetup = {},
): Promise<RealtimeWorld> {
  const provider = await startRealtimeUpstream()
  onTestFinished(() => provider.close())
  const channels = plays.map((played, index): Provider => {
    provider.script(`p${index}`, ...played)
    return {
      script: [],
      base_url: provider.baseUrl(`p${index}`),
      models: REALTIME_MODEL,
      priority: -index,
      ...providers[index],
    }
  })
  const world = await setUp(channels, {
    quota: REALTIME_QUOTA,
    ...setup,
    limits: { ...limits, realtime: { ...REALTIME_LIMITS, ...SHORT, ...realtime } },
  })
  const front = await openTlsFront(world.url)
  onTestFinished(() => front.close())
  return { ...world, provider, secureUrl: front.url }
}

const SHORT = { greetingMs: 300, reportMs: 300, stopMs: 500, closeMs: 500 }

const receivedEvent = z.looseObject({
  type: z.string(),
  error: z
    .looseObject({ code: z.string().nullish(), message: z.string(), type: z.string() })
    .optional(),
})

export type ReceivedEvent = z.output<typeof receivedEvent>

export type TestClient = {
  readonly events: ReceivedEvent[]
  readonly socket: WebSocket
  readonly next: (type: string, count?: number) => Promise<ReceivedEvent>
  readonly send: (event: object | string | Buffer) => void
  readonly closed: () => Promise<number>
  /** Checks that an error with this code, and then the end of the session, arrive. */
  readonly endsWith: (code: string, closeCode?: number) => Promise<void>
  readonly leave: () => Promise<void>
}

function watch(socket: WebSocket, events: ReceivedEvent[]): TestClient {
  let closeCode: number | null = null
  socket.on('close', (code) => (closeCode = code))
  const next = async (type: string, count = 1) => {
    const found = () => events.filter((event) => event.type === type)[count - 1]
    await waitUntil(async () => found() !== undefined)
    const event = found()
    if (event === undefined) throw new Error(`no ${type}`)
    return event
  }
  const closed = async () => {
    await waitUntil(async () => closeCode !== null)
    return closeCode ?? 0
  }
  return {
    events,
    socket,
    next,
    send: (event) => {
      const isRaw = typeof event === 'string' || Buffer.isBuffer(event)
      socket.send(isRaw ? event : JSON.stringify(event))
    },
    closed,
    endsWith: async (code, expected = 1008) => {
      expect((await next('error')).error?.code).toBe(code)
      expect(await closed()).toBe(expected)
    },
    leave: async () => {
      socket.close()
      await closed()
    },
  }
}

/** Connects the official client. `events` are the events that the client emits. */
export async function talk(
  { secureUrl, key }: Pick<RealtimeWorld, 'secureUrl' | 'key'>,
  connection: ConstructorParameters<typeof OpenAIRealtimeWS>[0] = { model: REALTIME_MODEL },
): Promise<TestClient & { sdk: OpenAIRealtimeWS }> {
  const openai = new OpenAI({ apiKey: key, baseURL: `${secureUrl}/v1` })
  const sdk = new OpenAIRealtimeWS(connection, openai)
  const events: ReceivedEvent[] = []
  sdk.on('event', (event) => events.push(receivedEvent.parse(event)))
  sdk.on('error', () => {})
  onTestFinished(() => sdk.socket.terminate())
  await once(sdk.socket, 'open')
  return { ...watch(sdk.socket, events), sdk }
}

export type ConnectOptions = {
  query?: string
  protocols?: string[]
  headers?: Record<string, string>
}

export type Answered =
  | { status: 101; client: TestClient; protocol: string; headers: Record<string, string> }
  | { status: number; headers: Record<string, string>; body: string }

/** Connects a plain WebSocket; the key may stand in any place that the gateway accepts. */
export function openRealtime(
  { url }: Pick<RealtimeWorld, 'url'>,
  way: ConnectOptions = {},
): Promise<Answered> {
  const { query = `model=${REALTIME_MODEL}`, protocols = [], headers = {} } = way
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/realtime?${query}`, protocols, {
    headers,
  })
  onTestFinished(() => socket.terminate())
  const events: ReceivedEvent[] = []
  socket.on('message', (data) =>
    events.push(receivedEvent.parse(JSON.parse(bytesOf(data).toString()))),
  )
  const client = watch(socket, events)
  const given: Record<string, string> = {}
  const note = (raw: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(raw)) given[name] = String(value)
  }
  return new Promise((resolve, reject) => {
    socket.on('upgrade', (response) => note(response.headers))
    socket.on('error', reject)
    socket.on('open', () =>
      resolve({ status: 101, client, protocol: socket.protocol, headers: given }),
    )
    socket.on('unexpected-response', (_request, response) => {
      note(response.headers)
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: given, body }))
    })
  })
}

/** The client of a session that opens. */
export async function openClient(world: Pick<RealtimeWorld, 'url' | 'key'>, query?: string) {
  const way = withKey(world.key)
  const answered = await openRealtime(world, query === undefined ? way : { ...way, query })
  if (!('client' in answered)) throw new Error(answered.body)
  return answered.client
}

/** Opens a session; returns both sides. */
export async function openBothSides(world: RealtimeWorld, query?: string) {
  const client = await openClient(world, query)
  const [side] = world.provider.sessionsOf('p0')
  if (side === undefined) throw new Error('no session at the provider')
  const asked = () => side.received.filter(({ type }) => type === CREATE.type).length
  /** Requests a response; the provider has the request then. */
  const request = async (members: object = {}) => {
    const before = asked()
    client.send({ ...CREATE, ...members })
    await side.next(CREATE.type, before + 1)
  }
  let answered = 0
  /** Plays a response of the provider. */
  const answer = async (done: Parameters<typeof responseDone>[1] = {}, created = {}) => {
    answered += 1
    side.send(responseCreated(`resp_${answered}`, created))
    side.send(responseDone(`resp_${answered}`, done))
    await client.next('response.done', answered)
  }
  return { client, side, asked, request, answer }
}

/** The same, for which the provider sends only `session.created` with these settings. */
export async function openQuietly(
  world: RealtimeWorld,
  { session, query }: { session: object; query?: string },
) {
  const sides = await openBothSides(world, query)
  sides.side.send(sessionCreated(session))
  await sides.client.next('session.created')
  return sides
}

/** What a user writes. */
export const userText = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
})

export const withKey = (key: string): ConnectOptions => ({
  headers: { authorization: `Bearer ${key}` },
})

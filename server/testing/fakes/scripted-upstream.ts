import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { isRecord, parseJson } from '@tollgate/relay'
import {
  brokenRules,
  type CheckOptions,
  type Refusal,
  type StrictVendor,
} from '../../../relay/testing/vendors/strict-vendor.ts'
import { portOf } from '../harness/port-of.ts'

export type UpstreamRequest = {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Handles one request; may also destroy the connection. */
export type Behaviour = (response: ServerResponse, request: UpstreamRequest) => void | Promise<void>

export type ScriptedUpstream = {
  baseUrl: (name: string) => string
  /** Behaviours of a provider, in order; the last one repeats. */
  script: (name: string, ...behaviours: Behaviour[]) => void
  requestsOf: (name: string) => UpstreamRequest[]
  connectionCount: () => number
  /** Requests whose connection closed before the answer was complete. */
  brokenOffCount: () => number
  /** Chats that their vendor refuses, with the rule. */
  refused: readonly string[]
  close: () => Promise<void>
}

/** The refusal of a provider's vendor; null if it accepts the request. */
type Gatekeeper = (name: string, request: UpstreamRequest) => Refusal | null

/** Plays any number of providers; the first path segment names the provider. */
export async function startScriptedUpstream(
  refusalOf: Gatekeeper = () => null,
): Promise<ScriptedUpstream> {
  const scripts = new Map<string, Behaviour[]>()
  const requests = new Map<string, UpstreamRequest[]>()
  const sockets = new Set<Socket>()
  const refused: string[] = []
  let connections = 0
  let brokenOff = 0

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    response.on('close', () => {
      if (!response.writableFinished) brokenOff += 1
    })
    const [, name = '', ...rest] = (request.url ?? '').split('/')
    const body = await buffer(request)
    const received = { path: `/${rest.join('/')}`, headers: request.headers, body }
    requests.set(name, [...(requests.get(name) ?? []), received])
    const behaviours = scripts.get(name) ?? []
    const behaviour = behaviours.length > 1 ? behaviours.shift() : behaviours[0]
    if (behaviour === undefined) throw new Error(`provider ${name} has no script`)
    const refusal = refusalOf(name, received)
    if (refusal !== null) refused.push(`${refusal.id} (${refusal.text}): ${body.toString()}`)
    await (refusal === null ? behaviour : answerRefusal(refusal))(response, received)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)

  return {
    baseUrl: (name) => `http://127.0.0.1:${port}/${name}`,
    script: (name, ...behaviours) => void scripts.set(name, behaviours),
    requestsOf: (name) => requests.get(name) ?? [],
    connectionCount: () => connections,
    brokenOffCount: () => brokenOff,
    refused,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The rules of a vendor that a chat breaks; none for other requests. */
export function brokenRulesBy(
  vendor: StrictVendor,
  { path, headers, body }: UpstreamRequest,
  options?: CheckOptions,
): Refusal[] {
  const json = vendor.chatPath.test(path) ? parseJson(body.toString()) : undefined
  if (!isRecord(json)) return []
  const told = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  const request = { path, headers: Object.fromEntries(told), body: json }
  return brokenRules(vendor, { ...request, model: vendor.modelOf(request) }, options)
}

/** The vendor's answer to a chat that it refuses. */
export const refusalBy = (...given: Parameters<typeof brokenRulesBy>): Refusal | null =>
  brokenRulesBy(...given)[0] ?? null

const answerRefusal = ({ status, body }: Refusal) => answerJson(body, { status })

export const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

export function answerJson(
  body: object | string,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Behaviour {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }
}

export const answerError = (
  status: number,
  error: { message?: string; type?: string; code?: string },
  headers: Record<string, string> = {},
) => answerJson({ error: { message: 'no', type: 'error', ...error } }, { status, headers })

export const chatAnswer = (content = 'Hello there', usage: object | null = USAGE) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'gpt-4o-mini-2024',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  ...(usage === null ? {} : { usage }),
})

export const answerChat = (content?: string, usage?: object | null) =>
  answerJson(chatAnswer(content, usage))

type Chunk = { content?: string; finish?: string; usage?: object }

export function chunk(part: Chunk): string {
  const { content, finish = null, usage } = part
  const choices =
    usage !== undefined && content === undefined && finish === null
      ? []
      : [{ index: 0, delta: content === undefined ? {} : { content }, finish_reason: finish }]
  const json = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'gpt-4o-mini-2024',
    choices,
    ...(usage === undefined ? {} : { usage }),
  }
  return `data: ${JSON.stringify(json)}\n\n`
}

export const DONE = 'data: [DONE]\n\n'

export const WHOLE_STREAM = [
  chunk({ content: '' }),
  chunk({ content: 'Hello' }),
  chunk({ content: ' there' }),
  chunk({ finish: 'stop' }),
  chunk({ usage: USAGE }),
  DONE,
]

/**
 * `cut` closes the connection without a reset, because a reset may overtake data sent before it.
 */
type StreamEnd = 'end' | 'cut' | 'hang'

/** Sends the events in order, then ends, cuts the connection, or stays silent. */
export function answerStream(events: readonly string[], end: StreamEnd = 'end'): Behaviour {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) {
      await new Promise((resolve) => response.write(event, resolve))
    }
    if (end === 'end') response.end()
    if (end === 'cut') response.socket?.destroy()
  }
}

/** A behaviour that begins when the test lets it. */
export function gated(behaviour: Behaviour) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  const script: Behaviour = async (response, request) => {
    await promise
    await behaviour(response, request)
  }
  return { script, letGo }
}

/** A stream whose rest is sent when the test lets it. */
export function gatedStream(first: string, rest: readonly string[]) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  const script: Behaviour = async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first)
    await promise
    response.end(rest.join(''))
  }
  return { script, letGo }
}

/** Answers with a stream or with JSON, whichever the request asks for. */
export const answerAsAsked: Behaviour = (response, request) => {
  const asksStream = /"stream":\s*true/.test(request.body.toString())
  return (asksStream ? answerStream(WHOLE_STREAM) : answerChat())(response, request)
}

export const resetConnection: Behaviour = (response) => {
  response.socket?.resetAndDestroy()
}

export const neverAnswer: Behaviour = () => {}

export const answerRaw =
  (bytes: string): Behaviour =>
  (response) => {
    response.socket?.end(bytes)
  }

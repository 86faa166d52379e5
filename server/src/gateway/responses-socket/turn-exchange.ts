import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { isRecord, type JsonRecord, parseJson } from '@tollgate/relay'
import type { RequestSource } from '../../http/client-address.ts'
import type { ClientRequest, ClientResponse } from '../http-types.ts'
import { RESPONSES_PATH } from '../intake/paths.ts'

/*
 * A turn of a WebSocket connection is an ordinary request to the Responses API: these are its
 * request, with the headers of the handshake, and its response, whose events become frames.
 */

const HANDSHAKE_HEADER = /^(?:connection|upgrade|sec-websocket-.*|content-.*|transfer-encoding)$/

/** The beta of Codex that asks for the WebSocket itself. */
const SOCKET_BETA = /^responses_websockets=/
/** Codex tells so in a frame what it tells in this header over HTTP. */
const LITE_HEADER = 'x-openai-internal-codex-responses-lite'
const LITE_MEMBER = 'ws_request_header_x_openai_internal_codex_responses_lite'

export function turnRequest(
  handshake: RequestSource,
  body: Buffer,
  { client_metadata: metadata }: JsonRecord,
): ClientRequest {
  const kept = Object.entries(handshake.headers).filter(
    ([name, value]) =>
      !HANDSHAKE_HEADER.test(name) && !(name === 'openai-beta' && SOCKET_BETA.test(String(value))),
  )
  const lite = isRecord(metadata) ? metadata[LITE_MEMBER] : undefined
  const headers: IncomingHttpHeaders = {
    ...Object.fromEntries(kept),
    ...(lite === 'true' ? { [LITE_HEADER]: lite } : {}),
    'content-type': 'application/json',
    'content-length': String(body.length),
  }
  const request: ClientRequest = {
    method: 'POST',
    url: RESPONSES_PATH,
    headers,
    socket: handshake.socket,
    destroyed: false,
    readableEnded: true,
    takeBody: () => body,
    on: () => request,
    off: () => request,
    resume: () => request,
  }
  return request
}

type Output = {
  /** An event of the stream as JSON; a promise if the client has to catch up. */
  readonly event: (json: string) => Promise<void> | undefined
  /** Instead of events. */
  readonly failed: (
    status: number,
    error: unknown,
    headers: Readonly<Record<string, string>>,
  ) => Promise<void> | undefined
  /** The response was aborted. */
  readonly aborted: () => void
}

const SEPARATOR = Buffer.from('\n\n')
const DATA = 'data: '
const ERROR_STATUS_MIN = 400

/** Emits `close` and `drain` as Node's responses do. */
export class TurnResponse extends EventEmitter implements ClientResponse {
  readonly socket = null
  headersSent = false
  writableEnded = false
  destroyed = false
  readonly #output: Output
  readonly #headers = new Map<string, string>()
  #status = 0
  /** Bytes of an event whose end has not come, or of an error. */
  #rest: Buffer = Buffer.alloc(0)

  constructor(output: Output) {
    super()
    this.#output = output
  }

  setHeader(name: string, value: string) {
    this.#headers.set(name, value)
  }

  writeHead(status: number, headers: Record<string, string | number> = {}): this {
    this.headersSent = true
    this.#status = status
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, String(value))
    return this
  }

  write(bytes: Buffer | string): boolean {
    const catchingUp = this.#take(Buffer.from(bytes))
    if (catchingUp === undefined) return true
    void catchingUp.then(() => this.emit('drain'))
    return false
  }

  end(bytes: Buffer | string = '') {
    if (this.destroyed || this.writableEnded) return
    this.writableEnded = true
    this.headersSent = true
    const sending = this.#take(Buffer.from(bytes)) ?? this.#fail()
    void Promise.resolve(sending).then(() => this.#close())
  }

  destroy() {
    if (this.destroyed) return
    this.#output.aborted()
    this.#close()
  }

  /** The connection has closed. */
  disconnect() {
    this.#close()
  }

  #close() {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }

  #take(bytes: Buffer): Promise<void> | undefined {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    if (this.#status >= ERROR_STATUS_MIN || this.destroyed) return undefined
    let catchingUp: Promise<void> | undefined
    for (;;) {
      const end = this.#rest.indexOf(SEPARATOR)
      if (end === -1) return catchingUp
      const json = dataOf(this.#rest.toString('utf8', 0, end))
      this.#rest = this.#rest.subarray(end + SEPARATOR.length)
      if (json !== null) catchingUp = this.#output.event(json) ?? catchingUp
    }
  }

  #fail(): Promise<void> | undefined {
    if (this.#status < ERROR_STATUS_MIN) return undefined
    const body = parseJson(this.#rest.toString())
    const error = isRecord(body) ? body['error'] : { message: this.#rest.toString() }
    return this.#output.failed(this.#status, error, Object.fromEntries(this.#headers))
  }
}

/** Null for comments and for the mark of the end. */
function dataOf(block: string): string | null {
  const lines = block.split('\n').filter((line) => line.startsWith(DATA))
  const json = lines.map((line) => line.slice(DATA.length)).join('\n')
  return json.startsWith('{') ? json : null
}

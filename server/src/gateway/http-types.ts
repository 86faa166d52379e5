import type { Socket } from 'node:net'
import type { Addressed } from '../http/client-address.ts'
import type { ConstantHeaders } from '../http/constant-headers.ts'

/** What the gateway looks at before it reads a body. */
export type ClientRequestHead = Addressed & {
  readonly method?: string | undefined
  /** Path and query. */
  readonly url?: string | undefined
}

/** What the gateway uses of a request, whoever has read it: Node's `IncomingMessage`, or `FrontRequest`. */
export type ClientRequest = ClientRequestHead & {
  readonly destroyed: boolean
  readonly readableEnded: boolean
  /** Null while nobody has asked for the body; only of Node's. */
  readonly readableFlowing?: boolean | null
  readonly on: BodyListening
  readonly off: BodyListening
  /** Its body comes from here on, and not before. */
  readonly resume: () => ClientRequest
  /** The whole body instead, where all of it has come already; else null. */
  readonly takeBody?: () => Buffer | null
}

type BodyListening = {
  (event: 'data', listener: (bytes: Buffer) => void): ClientRequest
  (event: 'end' | 'close' | 'error', listener: () => void): ClientRequest
}

/** The same of an answer: Node's `ServerResponse`, or `FrontResponse`. */
export type ClientResponse = {
  readonly headersSent: boolean
  /** All of it has been said. */
  readonly writableEnded: boolean
  readonly destroyed: boolean
  readonly setHeader: (name: string, value: string) => unknown
  /** Only of `FrontResponse`. */
  readonly setConstants?: (headers: ConstantHeaders) => unknown
  readonly writeHead: (status: number, headers?: Record<string, string | number>) => ClientResponse
  /** False when `drain` should be waited for. */
  readonly write: (bytes: Buffer) => boolean
  readonly end: (bytes?: Buffer | string) => unknown
  /** Null once it is over. */
  readonly socket: Socket | null
  /** Cuts it off, with its connection. */
  readonly destroy: () => unknown
  readonly on: AnswerListening
  readonly once: AnswerListening
  readonly off: AnswerListening
}

type AnswerListening = (event: 'close' | 'drain' | 'error', listener: () => void) => unknown

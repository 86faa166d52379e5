import type { Socket } from 'node:net'
import type { RequestSource } from '../http/client-address.ts'
import type { ConstantHeaders } from '../http/constant-headers.ts'

/** Request members the gateway reads before a body. */
export type ClientRequestHead = RequestSource & {
  readonly method?: string | undefined
  /** Path and query. */
  readonly url?: string | undefined
}

/** Request members the gateway uses. Node's `IncomingMessage` and `FastRequest` have them. */
export type ClientRequest = ClientRequestHead & {
  readonly destroyed: boolean
  readonly readableEnded: boolean
  /** Null until the body is requested. Absent in `FastRequest`. */
  readonly readableFlowing?: boolean | null
  readonly on: BodyListening
  readonly off: BodyListening
  /** Starts the `data` events of the body. */
  readonly resume: () => ClientRequest
  /** The whole body if all of it has arrived, else null. Replaces the `data` events. */
  readonly takeBody?: () => Buffer | null
}

type BodyListening = {
  (event: 'data', listener: (bytes: Buffer) => void): ClientRequest
  (event: 'end' | 'close' | 'error', listener: () => void): ClientRequest
}

/** Response members the gateway uses. Node's `ServerResponse` and `FastResponse` have them. */
export type ClientResponse = {
  readonly headersSent: boolean
  /** `end` was called. */
  readonly writableEnded: boolean
  readonly destroyed: boolean
  readonly setHeader: (name: string, value: string) => unknown
  /** Absent in Node's `ServerResponse`. */
  readonly setConstants?: (headers: ConstantHeaders) => unknown
  readonly writeHead: (status: number, headers?: Record<string, string | number>) => ClientResponse
  /** False if the caller should wait for `drain`. May keep the bytes. */
  readonly write: (bytes: Buffer | string) => boolean
  /** As `write`, but at most keeps a copy. Absent in Node's `ServerResponse`. */
  readonly writeCopy?: (bytes: Buffer) => boolean
  readonly end: (bytes?: Buffer | string) => unknown
  /** Null once the response is over. */
  readonly socket: Socket | null
  /** Aborts the response and its connection. */
  readonly destroy: () => unknown
  readonly on: AnswerListening
  readonly off: AnswerListening
}

type AnswerListening = (event: 'close' | 'drain' | 'error', listener: () => void) => unknown

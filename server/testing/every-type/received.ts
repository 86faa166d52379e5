import type { IncomingHttpHeaders } from 'node:http'

/** A call as the provider of a channel type received it. */
export type Received = {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

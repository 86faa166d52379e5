import { ConstantHeaders } from '../../http/constant-headers.ts'
import type { ClientResponse } from '../http-types.ts'
import { RATE_HEADERS } from '../rate-limits/rate-headers.ts'

/**
 * Browsers without Fetch Metadata may still render an answer as a document. These headers deny that
 * document scripts and the console's origin.
 */
const NO_DOCUMENT_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  // Pages of any origin may call the relay.
  'cross-origin-resource-policy': 'cross-origin',
}

export const RELAY_HEADERS = new ConstantHeaders({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [
    'X-Oneapi-Request-Id, X-Request-Id, Request-Id, Retry-After',
    'X-Should-Retry, X-Tollgate-Adapted',
    ...RATE_HEADERS,
  ].join(', '),
  ...NO_DOCUMENT_HEADERS,
})

/** For every answer to a WebSocket handshake; CORS does not apply to those. */
export const HANDSHAKE_HEADERS = new ConstantHeaders(NO_DOCUMENT_HEADERS)

export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  // The wildcard does not cover Authorization.
  'access-control-allow-headers': 'Authorization, *',
  'access-control-max-age': '86400',
}

/** Names what the provider got changed or not at all. All names together have under 512 bytes. */
export function setAdaptationHeader(
  response: Pick<ClientResponse, 'headersSent' | 'setHeader'>,
  { adapted = [] }: { readonly adapted?: readonly string[] | undefined },
): void {
  // The attempt that continues a broken stream comes after the headers.
  if (adapted.length === 0 || response.headersSent) return
  response.setHeader('x-tollgate-adapted', adapted.join(', '))
}

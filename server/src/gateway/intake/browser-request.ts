import type { RelayEndpoint } from '@tollgate/relay'
import { Refusal } from '../errors.ts'
import type { ClientRequestHead } from '../http-types.ts'

/*
 * A page of another site can make a browser send navigations, and bodies of three content types,
 * without a preflight. The URL may contain the attacker's own key, so both are refused before the
 * key is read.
 */

/**
 * Destinations and modes of fetch(), XMLHttpRequest, EventSource and WebSocket. Browsers render or
 * run responses for every other destination (document, iframe, object, script, worker, style). No
 * relay path serves an image or audio element, so an allow-list loses nothing. Programs and older
 * browsers send neither header.
 */
const DESTINATIONS: ReadonlySet<unknown> = new Set([undefined, 'empty', 'websocket'])
const MODES: ReadonlySet<unknown> = new Set([
  undefined,
  'cors',
  'no-cors',
  'same-origin',
  'websocket',
])

export function refuseNavigation({ headers }: ClientRequestHead) {
  if (DESTINATIONS.has(headers['sec-fetch-dest']) && MODES.has(headers['sec-fetch-mode'])) return
  throw new Refusal({
    status: 403,
    code: 'browser_navigation',
    type: 'invalid_request_error',
    message:
      'A browser cannot load an API endpoint as a page or as part of a page. ' +
      'Call the endpoint with fetch() or from a program.',
  })
}

/** Whether a browser opens the address as a page. */
export const isPageVisit = ({ method = 'GET', headers }: ClientRequestHead): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  (headers['sec-fetch-mode'] === 'navigate' || headers.accept?.includes('text/html') === true)

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'multipart/form-data'

/** Content types that need no preflight (Fetch, CORS-safelisted request-header). */
const WITHOUT_PREFLIGHT: ReadonlySet<string> = new Set([
  'text/plain',
  'application/x-www-form-urlencoded',
  FORM_TYPE,
])

const FORM_ENDPOINTS: ReadonlyMap<RelayEndpoint, string> = new Map([
  ['imageEdits', `${FORM_TYPE} or ${JSON_TYPE}`],
  ['imageVariations', FORM_TYPE],
  ['transcriptions', FORM_TYPE],
  ['translations', FORM_TYPE],
])

/** `endpoint` is null for token counting. Some clients send bodies without a content type. */
export function refuseBodyType({ headers }: ClientRequestHead, endpoint: RelayEndpoint | null) {
  const given = headers['content-type']
  if (given === undefined || given === JSON_TYPE) return
  const [essence = ''] = given.toLowerCase().split(';', 1)
  const type = essence.trim()
  if (!WITHOUT_PREFLIGHT.has(type)) return
  const accepted = endpoint === null ? undefined : FORM_ENDPOINTS.get(endpoint)
  if (type === FORM_TYPE && accepted !== undefined) return
  throw new Refusal({
    status: 415,
    code: 'unsupported_media_type',
    type: 'invalid_request_error',
    message:
      `This endpoint does not accept the content type ${type}. ` +
      `Send ${accepted ?? JSON_TYPE} with the matching Content-Type header.`,
  })
}

import { Refusal } from '../errors.ts'
import { isStoredResponse, meantPathOf, UNSUPPORTED_PATHS } from './paths.ts'

/** The refusal of a request that no endpoint takes. */
export function unknownPath(method: string, path: string): Refusal {
  if (isStoredResponse(path)) return responsesNotServed()
  if (UNSUPPORTED_PATHS.test(meantPathOf(path) ?? path)) return notImplemented()
  return invalidUrl(`Invalid URL (${method} ${path})${hintFor(path)}`)
}

export const notImplemented = () =>
  new Refusal({
    status: 501,
    code: 'api_not_implemented',
    param: '',
    message: 'API not implemented',
  })

const invalidUrl = (message: string) =>
  new Refusal({ status: 404, code: '', param: '', type: 'invalid_request_error', message })

function hintFor(path: string): string {
  const meant = meantPathOf(path)
  if (meant === null) return ''
  return `. The address is ${meant}. ${correctionFor(path, meant)} the base URL of the client.`
}

function correctionFor(path: string, meant: string): string {
  if (meant.endsWith(path)) return `Add ${meant.split('/', 2).join('/')} to`
  return path.endsWith(meant) ? `Remove ${path.slice(0, -meant.length)} from` : 'Correct'
}

const responsesNotServed = () =>
  new Refusal({
    status: 404,
    code: 'not_found',
    type: 'invalid_request_error',
    message:
      'Responses cannot be retrieved, deleted or cancelled. They expire; a response continues ' +
      'another by `previous_response_id` in POST /v1/responses.',
  })

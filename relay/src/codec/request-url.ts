import { splitBase } from '../base-address.ts'
import { headerText } from '../upstream-request.ts'

/**
 * The address of a request: `version` (as `/api/v1`) is put between base and path unless the base ends in
 * one already; what the base asks with `?` stays.
 */
export function versionedAddress(base: string, version: string, path: string): string {
  const { address, query } = splitBase(base)
  const versioned = /\/v\d+$/.test(address) ? address : address + version
  return versioned + path + query
}

/** Of a request in JSON. Answers are metered as they pass, so they must come as they are. */
export const jsonHeaders = (stream: boolean) => ({
  'content-type': 'application/json',
  accept: stream ? 'text/event-stream' : 'application/json',
  'accept-encoding': 'identity',
})

/** Of a request that goes as it came, whatever its answer is. */
export const taskHeaders = (contentType: string) => ({
  'content-type': contentType,
  accept: '*/*',
  'accept-encoding': 'identity',
})

export const bearer = (key: string) => ({ authorization: `Bearer ${headerText(key)}` })

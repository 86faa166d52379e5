import { splitBase } from './base-address.ts'
import { headerText } from './upstream-request.ts'

/**
 * Inserts `version` (such as `/api/v1`) between base and path, unless the base already ends in a
 * version. The base's query is kept.
 */
export function versionedAddress(base: string, version: string, path: string): string {
  const { address, query } = splitBase(base)
  const versioned = /\/v\d+$/.test(address) ? address : address + version
  return versioned + path + query
}

/** Answers are metered as they pass, so they must not be compressed. */
export const jsonHeaders = (stream: boolean) => ({
  'content-type': 'application/json',
  accept: stream ? 'text/event-stream' : 'application/json',
  'accept-encoding': 'identity',
})

/** For task requests, whose answers may have any content type. */
export const taskHeaders = (contentType: string) => ({
  'content-type': contentType,
  accept: '*/*',
  'accept-encoding': 'identity',
})

export const bearer = (key: string) => ({ authorization: `Bearer ${headerText(key)}` })

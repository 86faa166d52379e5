import type { ClientAddress, Addressed } from './client-address.ts'

/** Where the caller's browser is. */
export type Site = {
  /** The host of the page that sent the request; empty when no header names one. */
  page: string
  /** The hosts the request was sent to, as this server and a trusted proxy saw them. */
  hosts: readonly string[]
}

/** Browsers name their page in Origin, or of a GET in Referer. */
export function readSite(request: Addressed, client: ClientAddress): Site {
  const { origin, referer } = request.headers
  const page = [origin, referer].find((address) => URL.canParse(address ?? ''))
  return { page: page === undefined ? '' : new URL(page).host, hosts: client.hosts(request) }
}

import type { ClientAddress, RequestSource } from './client-address.ts'

export type Site = {
  /** Host of the page that sent the request; empty if no header names it. */
  page: string
  /** Hosts the request was sent to, as seen by this server and a trusted proxy. */
  hosts: readonly string[]
}

/** Browsers name the page in Origin, or for a GET in Referer. */
export function readSite(request: RequestSource, client: ClientAddress): Site {
  const { origin, referer } = request.headers
  const page = [origin, referer].find((address) => URL.canParse(address ?? ''))
  return { page: page === undefined ? '' : new URL(page).host, hosts: client.hosts(request) }
}

import type { EndpointParts, Method, RoleAccess } from './endpoint.ts'

/**
 * The calls that the console's first page makes. This file has no schemas, because their library
 * would weigh an eighth of that page.
 */
export const FIRST_CALLS = {
  getStatus: { method: 'GET', path: '/api/status', access: 'public' },
  login: { method: 'POST', path: '/api/user/login', access: 'public' },
  logout: { method: 'GET', path: '/api/user/logout', access: 'public' },
} as const satisfies Record<string, FirstCall>

export type FirstCall = { method: Method; path: string; access: RoleAccess }

/** The endpoint of such a call, for the server. */
export const withSchemas = <const Call extends FirstCall, const Parts extends EndpointParts>(
  call: Call,
  parts: Parts,
) => ({ ...call, parts })

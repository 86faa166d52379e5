import { isObject } from '../../lib/call.ts'

/** Default credentials of a new installation. */
const DEFAULT_PAIR = { username: 'root', password: '123456' } as const

export type Target = { to: string; isDefaultPassword: boolean }

/**
 * Page after login: the password form with default credentials, else the page the user came from.
 */
export function targetAfterLogin(
  { username, password }: { username: string; password: string },
  state: unknown,
): Target {
  if (username === DEFAULT_PAIR.username && password === DEFAULT_PAIR.password) {
    return { to: '/user/edit', isDefaultPassword: true }
  }
  return { to: originIn(state) ?? '/token', isDefaultPassword: false }
}

function originIn(state: unknown): string | undefined {
  const from = isObject(state) ? state['from'] : undefined
  if (!isObject(from)) return undefined
  const { pathname, search = '' } = from
  if (typeof pathname !== 'string' || !pathname.startsWith('/')) return undefined
  return typeof search === 'string' ? pathname + search : undefined
}

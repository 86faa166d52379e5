import { z } from 'zod'

/** Default credentials of a new installation. */
const DEFAULT_PAIR = { username: 'root', password: '123456' } as const

const remembered = z.object({
  from: z.object({ pathname: z.string().startsWith('/'), search: z.string().default('') }),
})

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
  const origin = remembered.safeParse(state).data?.from
  return { to: origin ? origin.pathname + origin.search : '/token', isDefaultPassword: false }
}

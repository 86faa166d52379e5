import type { QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { isAdmin, type SessionUser, sessionUserSchema } from '@tollgate/contract'
import { getStored, setStored, setStoredJson } from './storage.ts'
import { useStored } from './use-stored.ts'

function parseSession(text: string | null): SessionUser | null {
  if (text === null) return null
  try {
    return sessionUserSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

export const getSession = () => parseSession(getStored('user'))

let isExpired = false

export function startSession(user: SessionUser) {
  isExpired = false
  setStoredJson('user', user)
}

/** What was read for one user is not shown to the next. */
export const forgetAnswers = (client: QueryClient) =>
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' })

export const clearSession = () => setStored('user', null)

/** Ends what the server has ended already; the login page is to say so. */
export function expireSession() {
  isExpired = true
  clearSession()
}

/** Where somebody goes who has to sign in. */
export const loginPath = () => (isExpired ? '/login?expired=true' : '/login')

/** The user kept in the browser; null when nobody is signed in here. */
export function useSession(): SessionUser | null {
  const [text] = useStored('user')
  return useMemo(() => parseSession(text), [text])
}

export function useIsAdmin(): boolean {
  const user = useSession()
  return user !== null && isAdmin(user.role)
}

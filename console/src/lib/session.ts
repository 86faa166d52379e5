import { useMemo } from 'react'
import { isAdmin, type SessionUser, sessionUserSchema } from '@tollgate/contract'
import { getStored, setStored, setStoredJson } from './storage.ts'
import { useStored } from './use-stored.ts'

export function parseSession(text: string | null): SessionUser | null {
  if (text === null) return null
  try {
    return sessionUserSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

export const getSession = () => parseSession(getStored('user'))

export const startSession = (user: SessionUser) => setStoredJson('user', user)

export const clearSession = () => setStored('user', null)

/** The user kept in the browser; null when nobody is signed in here. */
export function useSession(): SessionUser | null {
  const [text] = useStored('user')
  return useMemo(() => parseSession(text), [text])
}

export function useIsAdmin(): boolean {
  const user = useSession()
  return user !== null && isAdmin(user.role)
}

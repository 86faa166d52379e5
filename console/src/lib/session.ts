import type { QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { isAdmin, type SessionUser, sessionUserSchema } from '@tollgate/contract'
import { setFactorRequired } from './required-factor.ts'
import { getStored, onStored, setStored, setStoredJson } from './storage.ts'
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

type Owner = SessionUser['id']
const losing = new Set<(owner: Owner) => void>()

export function startSession(user: SessionUser) {
  isExpired = false
  setFactorRequired(false)
  setStoredJson('user', user)
}

/** What was read for one user is not shown to the next. */
export const forgetAnswers = (client: QueryClient) =>
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' })

export function clearSession() {
  setFactorRequired(false)
  setStored('user', null)
}

/** Ends what the server has ended already; the login page is to say so. */
export function expireSession() {
  const user = getSession()
  if (!user) return
  isExpired = true
  tellLoss(user.id)
  clearSession()
}

export const hasExpired = () => isExpired

/** Calls back just before a session is lost that its user did not end here; returns how to stop. */
export function onSessionLoss(listener: (owner: Owner) => void): () => void {
  losing.add(listener)
  return () => losing.delete(listener)
}

function tellLoss(owner: Owner) {
  for (const listener of losing) listener(owner)
}

/** Calls back when another tab has logged out, or logged in somebody else. */
export function onOtherSession(listener: (user: SessionUser | null) => void) {
  let owner = getSession()?.id
  onStored('user', (where) => {
    const user = getSession()
    const last = owner
    owner = user?.id
    if (where === 'here' || owner === last) return
    if (user) isExpired = false
    if (last !== undefined) tellLoss(last)
    listener(user)
  })
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

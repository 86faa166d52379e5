import type { QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { isAdmin, type SessionUser } from '@tollgate/contract'
import { forgetEarlyAnswers } from './early-answers.ts'
import { isSessionUser } from './first-answers.ts'
import { setFactorRequired } from './required-factor.ts'
import { getStored, onStored, setStored, setStoredJson } from './storage.ts'
import { useStored } from './use-stored.ts'

function parseSession(text: string | null): SessionUser | null {
  if (text === null) return null
  try {
    const user: unknown = JSON.parse(text)
    return isSessionUser(user) ? user : null
  } catch {
    return null
  }
}

export const getSession = () => parseSession(getStored('user'))

export function getIsAdmin(): boolean {
  const user = getSession()
  return user !== null && isAdmin(user.role)
}

/** The toast that asks for another password than that of new installations. */
export const DEFAULT_PASSWORD = 'default-password'

let isExpired = false

type Owner = SessionUser['id']
const lossListeners = new Set<(owner: Owner) => void>()

export function startSession(user: SessionUser) {
  isExpired = false
  setFactorRequired(false)
  setStoredJson('user', user)
}

/** Removes data read for the previous user. */
export function forgetAnswers(client: QueryClient) {
  forgetEarlyAnswers()
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' })
}

export function clearSession() {
  setFactorRequired(false)
  setStored('user', null)
}

/** Clears a session that the server has already ended, and makes the login page say so. */
export function expireSession() {
  const user = getSession()
  if (!user) return
  isExpired = true
  notifyLoss(user.id)
  clearSession()
}

export const hasExpired = () => isExpired

/**
 * Runs `listener` just before a session is lost, except on logout in this tab. Returns an
 * unsubscribe function.
 */
export function onSessionLoss(listener: (owner: Owner) => void): () => void {
  lossListeners.add(listener)
  return () => lossListeners.delete(listener)
}

function notifyLoss(owner: Owner) {
  for (const listener of lossListeners) listener(owner)
}

/** Runs `listener` when another tab logs out or logs in as a different user. */
export function onOtherSession(listener: (user: SessionUser | null) => void) {
  let owner = getSession()?.id
  onStored('user', (where) => {
    const user = getSession()
    const last = owner
    owner = user?.id
    if (where === 'here' || owner === last) return
    if (user) isExpired = false
    if (last !== undefined) notifyLoss(last)
    listener(user)
  })
}

export const loginPath = () => (isExpired ? '/login?expired=true' : '/login')

export function useSession(): SessionUser | null {
  const [text] = useStored('user')
  return useMemo(() => parseSession(text), [text])
}

export function useIsAdmin(): boolean {
  const user = useSession()
  return user !== null && isAdmin(user.role)
}

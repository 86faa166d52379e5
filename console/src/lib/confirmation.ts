import type { ConfirmationWay } from '@tollgate/contract'
import { refusalOf } from './call.ts'
import { Cancelled } from './cancelled.ts'

type Need = { ways: readonly ConfirmationWay[] }

type Caller = { resolve: (isConfirmed: boolean) => void }

let need: Need | null = null
const callers = new Set<Caller>()
const listeners = new Set<() => void>()

let confirmed = 0

function setNeed(next: Need | null) {
  need = next
  for (const listener of listeners) listener()
}

export const getConfirmationNeed = () => need

export function onConfirmationNeed(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Closes the dialog. Waiting calls are repeated, or rejected as cancelled. */
export function answerConfirmation(isConfirmed: boolean) {
  if (isConfirmed) confirmed += 1
  const waiting = [...callers]
  callers.clear()
  setNeed(null)
  for (const caller of waiting) caller.resolve(isConfirmed)
}

/**
 * Sends a call. When the server requires identity confirmation, asks the user once for all waiting
 * calls, then repeats the call.
 */
export async function withConfirmation<Result>(
  send: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (let isAsked = false; ;) {
    const before = confirmed
    try {
      return await send()
    } catch (error) {
      const refusal = refusalOf(error)
      const ways = refusal?.ways ?? []
      // Without a way only a new login helps, as the server's message says.
      if (refusal?.code !== 'confirmation_needed' || ways.length === 0) throw error
      // The user confirmed for another call while this call was in flight.
      if (before !== confirmed) continue
      // The server refused even after confirmation, so asking again would not help.
      if (isAsked) throw error
      isAsked = true
      await ask(ways, signal)
    }
  }
}

async function ask(ways: readonly ConfirmationWay[], signal?: AbortSignal) {
  signal?.throwIfAborted()
  const caller = Promise.withResolvers<boolean>()
  const leave = () => {
    callers.delete(caller)
    if (callers.size === 0) setNeed(null)
    caller.resolve(false)
  }
  signal?.addEventListener('abort', leave, { once: true })
  callers.add(caller)
  if (need === null) setNeed({ ways })
  const isConfirmed = await caller.promise
  signal?.removeEventListener('abort', leave)
  signal?.throwIfAborted()
  if (!isConfirmed) throw new Cancelled()
}

if (typeof window !== 'undefined') {
  // Capture phase: the dialog may lie above another dialog, whose own Escape listener would close
  // that dialog too.
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || need === null) return
      event.stopImmediatePropagation()
      answerConfirmation(false)
    },
    { capture: true },
  )
}

import type { ConfirmationWay } from '@tollgate/contract'
import { refusalOf } from './call.ts'
import { Cancelled } from './cancelled.ts'

/** What the dialog shows: how the user may confirm who they are. */
type Need = { ways: readonly ConfirmationWay[] }

type Caller = { resolve: (isConfirmed: boolean) => void }

let need: Need | null = null
const callers = new Set<Caller>()
const listeners = new Set<() => void>()

/** Confirmations since the page was loaded. */
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

/** Ends the dialog: every call that waits for it is repeated, or rejected as cancelled. */
export function answerConfirmation(isConfirmed: boolean) {
  if (isConfirmed) confirmed += 1
  const waiting = [...callers]
  callers.clear()
  setNeed(null)
  for (const caller of waiting) caller.resolve(isConfirmed)
}

/**
 * Sends a call. When the server wants to know who is there, asks the user once, together with all
 * other calls that wait for that, and sends the call again.
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
      // Without a way only a new sign-in helps, which the message of the server says.
      if (refusal?.code !== 'confirmation_needed' || ways.length === 0) throw error
      // Another call was confirmed while this one was under way.
      if (before !== confirmed) continue
      // The server still refuses: a third time would change nothing.
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
  // The dialog may stand above another one, whose own listener would close that one as well.
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || event.isComposing || need === null) return
      event.stopImmediatePropagation()
      answerConfirmation(false)
    },
    { capture: true },
  )
}

import { createElement, type ReactNode } from 'react'
import type { ToastContentProps, ToastOptions } from 'react-toastify'

const MILLISECONDS = { success: 1500, info: 3000, error: 5000, warning: 10_000 } as const

/** Long enough to read, to find out that it was the wrong row, and to reach the button. */
const UNDO_MS = 10_000

type Tone = keyof typeof MILLISECONDS

let isWanted = false
const listeners = new Set<() => void>()

/** True after the first toast, which loads the toast container. */
export const areToastsWanted = () => isWanted

export function onToastsWanted(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function loadToast() {
  const { toast } = await import('react-toastify')
  isWanted = true
  for (const listener of listeners) listener()
  return toast
}

type Content = (props: ToastContentProps) => ReactNode

function show(tone: Tone, text: string, options: ToastOptions = {}, content?: Content) {
  const autoClose = MILLISECONDS[tone]
  loadToast().then(
    (toast) => toast[tone](content ?? text, { autoClose, ...options }),
    () => showPlainly(text, autoClose),
  )
}

/** Fallback toast without a library, for when the toast chunk cannot be loaded (offline). */
function showPlainly(text: string, milliseconds: number) {
  document.querySelector('.plain-toast')?.remove()
  const box = document.createElement('div')
  box.setAttribute('role', 'alert')
  box.className = 'plain-toast'
  box.textContent = text
  document.body.append(box)
  setTimeout(() => box.remove(), milliseconds)
}

export const showSuccess = (text: string) => show('success', text)

type Undo = { verb: string; act: () => void }

/** Says what was done, with a button that takes it back. */
export function showUndoable(text: string, { verb, act }: Undo) {
  const button = (close: () => void) => {
    const onClick = () => {
      close()
      act()
    }
    return createElement('button', { type: 'button', className: 'toast-action', onClick }, verb)
  }
  const content: Content = ({ closeToast }) =>
    createElement(
      'span',
      null,
      text,
      ' ',
      button(() => closeToast()),
    )
  show('success', text, { autoClose: UNDO_MS }, content)
}

export const showInfo = (text: string) => show('info', text)

/** Identical errors share one toast. */
export const showError = (text: string) => show('error', text, { toastId: text })

/** A warning with an identifier is shown once, and can be dismissed. */
export const showWarning = (text: string, identifier?: string) =>
  show('warning', text, identifier === undefined ? {} : { toastId: identifier })

export function dismissToast(identifier: string) {
  if (!isWanted) return
  loadToast().then(
    (toast) => toast.dismiss(identifier),
    () => {},
  )
}

/** The toast stays until dismissed. */
export function showNotice(content: ReactNode, identifier: string, onDismiss: () => void) {
  loadToast().then(
    (toast) => toast(() => content, { toastId: identifier, autoClose: false, onClose: onDismiss }),
    (error: unknown) => {
      // oxlint-disable-next-line eslint/no-console -- the plain fallback toast shows only text
      console.error(error)
    },
  )
}

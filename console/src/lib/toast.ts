import type { ReactNode } from 'react'
import type { ToastOptions } from 'react-toastify'

const MILLISECONDS = { success: 1500, info: 3000, error: 5000, warning: 10_000 } as const

type Tone = keyof typeof MILLISECONDS

let isWanted = false
const listeners = new Set<() => void>()

/** Whether a toast was ever shown: the first one brings the code that shows them. */
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

function show(tone: Tone, text: string, options: ToastOptions = {}) {
  const autoClose = MILLISECONDS[tone]
  loadToast().then(
    (toast) => toast[tone](text, { autoClose, ...options }),
    () => showPlainly(text, autoClose),
  )
}

/** Without a network the code of the toasts is out of reach, just when there is something to say. */
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

export const showInfo = (text: string) => show('info', text)

/** The same error is shown once at a time, however many calls met it. */
export const showError = (text: string) => show('error', text, { toastId: text })

export const showWarning = (text: string) => show('warning', text)

/** Stays until it is dismissed. */
export function showNotice(content: ReactNode, identifier: string, onDismiss: () => void) {
  loadToast().then(
    (toast) => toast(() => content, { toastId: identifier, autoClose: false, onClose: onDismiss }),
    (error: unknown) => {
      // oxlint-disable-next-line eslint/no-console -- a notice of more than text cannot be said plainly
      console.error(error)
    },
  )
}

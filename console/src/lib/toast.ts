import { toast } from 'react-toastify'

const MILLISECONDS = { success: 1500, info: 3000, error: 5000, warning: 10_000 } as const

export const showSuccess = (text: string) =>
  toast.success(text, { autoClose: MILLISECONDS.success })

export const showInfo = (text: string) => toast.info(text, { autoClose: MILLISECONDS.info })

/** The same error is shown once at a time, however many calls met it. */
export const showError = (text: string) =>
  toast.error(text, { autoClose: MILLISECONDS.error, toastId: text })

export const showWarning = (text: string) =>
  toast.warning(text, { autoClose: MILLISECONDS.warning })

import i18next from 'i18next'
import { CallError, type CallFailure } from './call.ts'
import { showError, showInfo } from './toast.ts'

/** What a failed call says to the user; the one place where HTTP statuses get their words. */
function failureText(failure: CallFailure): string {
  const t = i18next.t
  switch (failure.kind) {
    case 'refused':
      return failure.message
    case 'http':
      if (failure.status === 429) return t('common.error.tooMany')
      if (failure.status === 500) return t('common.error.internal')
      if (failure.status === 405) return t('common.error.demo')
      return t('common.error.prefix', { message: failure.message })
    case 'network':
      return t('common.error.prefix', {
        message: t('common.error.network', { message: failure.message }),
      })
    case 'unreadable':
      return t('common.error.prefix', {
        message: t('common.error.unreadable', { message: failure.message }),
      })
  }
}

export function errorText(error: unknown): string {
  if (error instanceof CallError) return failureText(error.failure)
  const message = error instanceof Error && error.message !== '' ? error.message : String(error)
  return i18next.t('common.error.prefix', { message })
}

const isSignedOut = (error: unknown) =>
  error instanceof CallError && error.failure.kind === 'http' && error.failure.status === 401

/** Shows an error as a toast; `onSignedOut` runs instead when the session is gone. */
export function reportError(error: unknown, onSignedOut: () => void) {
  // oxlint-disable-next-line eslint/no-console -- every failure is written to the browser's console
  console.error(error)
  if (isSignedOut(error)) onSignedOut()
  else if (
    error instanceof CallError &&
    error.failure.kind === 'http' &&
    error.failure.status === 405
  )
    showInfo(errorText(error))
  else showError(errorText(error))
}

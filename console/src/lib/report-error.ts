import { t } from '../i18n/texts.ts'
import { CallError, type CallFailure, refusalOf } from './call.ts'
import { Cancelled } from './cancelled.ts'
import { showAtField } from './field-refusals.ts'
import { showError, showInfo } from './toast.ts'

type HttpFailure = Extract<CallFailure, { kind: 'http' }>

/** Message for a failed call; the only place that maps HTTP statuses to texts. */
function failureText(failure: CallFailure): string {
  switch (failure.kind) {
    case 'refused':
      return failure.message
    case 'http':
      return httpText(failure)
    case 'network':
      return t('common.error.prefix', { message: t(`common.error.${failure.reason}`) })
    case 'unreadable': {
      const message = t(`common.error.${failure.reason}`, { message: failure.message })
      return t('common.error.prefix', { message })
    }
  }
}

function httpText({ status, message, retryAfterSeconds }: HttpFailure): string {
  if (status === 429) {
    return retryAfterSeconds === undefined
      ? t('common.error.tooMany')
      : t('common.error.tooManyWait', { seconds: retryAfterSeconds })
  }
  if (status === 500) return t('common.error.internal')
  if (status === 405) return t('common.error.demo')
  return t('common.error.prefix', { message })
}

export function errorText(error: unknown): string {
  if (error instanceof CallError) return failureText(error.failure)
  const message = error instanceof Error && error.message !== '' ? error.message : String(error)
  return t('common.error.prefix', { message })
}

const statusOf = (error: unknown) =>
  error instanceof CallError && error.failure.kind === 'http' ? error.failure.status : null

type ReportOptions = { onSignedOut: () => void; isQuiet?: boolean }

/**
 * Logs an error to the browser console and shows it as a toast, or at the field it is about, unless
 * it is quiet. On 401 `onSignedOut` runs instead. Ignores cancelled actions. A missing second
 * factor has its own page and gets no toast.
 */
export function reportError(error: unknown, { onSignedOut, isQuiet = false }: ReportOptions) {
  if (error instanceof Cancelled) return
  // oxlint-disable-next-line eslint/no-console -- every failure is written to the browser's console
  console.error(error)
  const status = statusOf(error)
  if (status === 401) return onSignedOut()
  if (isQuiet || refusalOf(error)?.code === 'second_factor_needed') return
  if (showAtField(error)) return
  if (status === 405) showInfo(errorText(error))
  else showError(errorText(error))
}

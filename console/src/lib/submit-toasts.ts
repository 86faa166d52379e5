import type { FieldErrors } from 'react-hook-form'
import type { MessageKey } from '../i18n/types.ts'
import { useTranslation } from '../i18n/use-translation.ts'
import { showError } from './toast.ts'

/** Toasts for a failed submit, keyed by the message of the invalid field. Each is shown once. */
export function useSubmitToasts(toasts: Readonly<Record<string, MessageKey>>) {
  const { t } = useTranslation()
  return (errors: FieldErrors) => {
    const keys = Object.values(errors).flatMap((error) => {
      const message: unknown = error?.message
      return typeof message === 'string' ? (toasts[message] ?? []) : []
    })
    for (const key of new Set(keys)) showError(t(key))
  }
}

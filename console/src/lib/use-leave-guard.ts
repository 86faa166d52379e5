import { useCallback, useEffect, useRef } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { loadQuestion } from '../ui/load-question.ts'
import { confirm } from './confirm.ts'
import { currentLocation, guardLeaving } from './router/history.ts'
import { hasExpired } from './session.ts'

/** Asks before unsaved changes are lost. The returned function lets the next navigation pass. */
export function useLeaveGuard(isDirty: boolean): () => void {
  const { t } = useTranslation()
  const isAllowed = useRef(false)
  useEffect(() => {
    if (!isDirty) return undefined
    const question = {
      title: t('common.form.unsavedTitle'),
      body: t('common.form.unsavedBody'),
      verb: t('common.action.leave'),
      danger: true,
    }
    return guardLeaving(({ pathname }) => {
      // Without a session staying is pointless; the form's draft is kept.
      const mayGo = isAllowed.current || hasExpired() || pathname === currentLocation().pathname
      return mayGo || confirm(question)
    })
  }, [isDirty, t])

  // Preloads the dialog, so that leaving works even while the server is down.
  useEffect(() => {
    if (isDirty) void loadQuestion().catch(() => {})
  }, [isDirty])

  useEffect(() => {
    if (!isDirty) return
    const warn = (event: BeforeUnloadEvent) => {
      if (!isAllowed.current) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isDirty])

  return useCallback(() => {
    isAllowed.current = true
  }, [])
}

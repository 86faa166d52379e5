import { useCallback, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'
import { loadQuestion } from '../ui/load-question.ts'
import { confirm } from './confirm.ts'
import { hasExpired } from './session.ts'

/** Asks before unsaved changes are lost. The returned function lets the next navigation pass. */
export function useLeaveGuard(isDirty: boolean): () => void {
  const { t } = useTranslation()
  const isAllowed = useRef(false)
  const blocker = useBlocker(
    useCallback(
      ({ currentLocation, nextLocation }) =>
        isDirty &&
        !isAllowed.current &&
        // Without a session staying is pointless; the form's draft is kept.
        !hasExpired() &&
        currentLocation.pathname !== nextLocation.pathname,
      [isDirty],
    ),
  )

  useEffect(() => {
    if (blocker.state !== 'blocked') return
    const question = {
      title: t('common.form.unsavedTitle'),
      body: t('common.form.unsavedBody'),
      verb: t('common.action.leave'),
      danger: true,
    }
    void confirm(question).then((yes) => (yes ? blocker.proceed() : blocker.reset()))
  }, [blocker, t])

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

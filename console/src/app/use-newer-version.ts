import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { statusQuery } from '../lib/status.ts'
import { showNotice } from '../lib/toast.ts'

/** The status counts as fresh for this long; returning to the window after that reloads it. */
const ASK_AGAIN_MS = 60_000

/** Tells the user when the server's version differs from the version at page load. */
export function useNewerVersion() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { data, isPlaceholderData } = useQuery(statusQuery)
  // A status stored by an earlier visit says nothing about this page's version.
  const version = isPlaceholderData ? undefined : data?.version
  const first = useRef<string>(undefined)

  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== 'visible') return
      // Offline users notice the lost connection at their next action.
      client.query({ ...statusQuery, staleTime: ASK_AGAIN_MS }).catch(() => undefined)
    }
    document.addEventListener('visibilitychange', look)
    window.addEventListener('focus', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('focus', look)
    }
  }, [client])

  useEffect(() => {
    if (version === undefined) return
    first.current ??= version
    if (version === first.current) return
    showNotice(t('common.frame.newVersion', { version }), `version-${version}`, () => {})
  }, [version, t])
}

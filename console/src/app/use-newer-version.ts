import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { statusQuery } from '../lib/status.ts'
import { showNotice } from '../lib/toast.ts'

/** Between two looks at the window the server is asked again after this. */
const ASK_AGAIN_MS = 60_000

/** Says so when the server has become another version than the one that gave this page. */
export function useNewerVersion() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { data, isPlaceholderData } = useQuery(statusQuery)
  // What an earlier visit stored says nothing about the version of this page.
  const version = isPlaceholderData ? undefined : data?.version
  const first = useRef<string>(undefined)

  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== 'visible') return
      // Whoever looks at the page without a connection learns it from what they do next.
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

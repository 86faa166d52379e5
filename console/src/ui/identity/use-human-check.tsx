import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { statusQuery, useStatus } from '../../lib/status.ts'
import { showInfo } from '../../lib/toast.ts'
import { TURNSTILE_SIZES } from '../../lib/turnstile.ts'
import { LazyPart } from '../lazy-part.tsx'
import './messages.ts'

const loadTurnstileBox = () => import('./turnstile-box.tsx').then((module) => module.TurnstileBox)

export type HumanCheck = {
  /**
   * Token for one request. Empty while the captcha is off. Null (with a message) while no token is
   * ready.
   */
  takeToken: () => string | null
  /**
   * Call after each request, which uses up the token. After a failure also reloads the status, as
   * the captcha may have been switched on or its key changed since page load.
   */
  renew: (answer: unknown, error: unknown) => void
  widget: ReactNode
}

export function useHumanCheck(): HumanCheck {
  const { t } = useTranslation()
  const status = useStatus()
  const isOn = status?.turnstile_check === true
  const [token, setToken] = useState('')
  const [round, setRound] = useState(0)
  const client = useQueryClient()
  const renew = useCallback(
    (_answer: unknown, error: unknown) => {
      setRound((current) => current + 1)
      if (error) void client.invalidateQueries({ queryKey: statusQuery.queryKey })
    },
    [client],
  )
  const takeToken = () => {
    if (!isOn) return ''
    if (token !== '') return token
    showInfo(t('identity.human.wait'))
    return null
  }
  const widget = isOn && (
    <LazyPart
      key={round}
      name="turnstile-box"
      load={loadTurnstileBox}
      props={{ siteKey: status.turnstile_site_key, onToken: setToken }}
      fallback={<div style={{ minHeight: TURNSTILE_SIZES.normal.height }} />}
    />
  )
  return { takeToken, renew, widget }
}

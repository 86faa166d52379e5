import { Button, Stack, Text, useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { loadTurnstile, type Turnstile, TURNSTILE_SIZES } from '../../lib/turnstile.ts'

const LANGUAGES = { en: 'en', zh: 'zh-cn' } as const

type Trouble = 'failed' | 'unsupported'

/** `onToken` receives an empty string when a token expires. */
type Props = { siteKey: string; onToken: (token: string) => void }

/** Captcha widget with its space reserved. A token is valid for one request. */
export function TurnstileBox({ siteKey, onToken }: Props) {
  const { t } = useTranslation()
  const holder = useRef<HTMLDivElement>(null)
  const theme = useComputedColorScheme()
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const [attempts, setAttempts] = useState(1)

  useEffect(() => {
    const place = holder.current
    if (!place) return
    let isUnmounted = false
    let remove = () => {}
    const size = place.clientWidth < TURNSTILE_SIZES.normal.width ? 'compact' : 'normal'
    place.style.minHeight = `${TURNSTILE_SIZES[size].height}px`
    const draw = (turnstile: Turnstile) => {
      if (isUnmounted) return
      const widget = turnstile.render(place, {
        sitekey: siteKey,
        size,
        theme,
        language: LANGUAGES[currentLanguage()],
        callback: onToken,
        'expired-callback': () => onToken(''),
        'timeout-callback': () => onToken(''),
        'error-callback': () => {
          onToken('')
          setTrouble('failed')
          return true
        },
        'unsupported-callback': () => setTrouble('unsupported'),
      })
      if (widget != null) remove = () => turnstile.remove(widget)
    }
    loadTurnstile().then(draw, () => !isUnmounted && setTrouble('failed'))
    return () => {
      isUnmounted = true
      remove()
      onToken('')
    }
  }, [siteKey, theme, onToken, attempts])

  const retry = () => {
    setTrouble(null)
    setAttempts(attempts + 1)
  }
  return (
    <>
      <div ref={holder} hidden={trouble !== null} />
      {trouble !== null && (
        <Stack gap="sm" align="flex-start" role="alert">
          <Text size="sm">{t(`identity.human.${trouble}`)}</Text>
          {trouble === 'failed' && (
            <Button variant="default" onClick={retry}>
              {t('common.action.retry')}
            </Button>
          )}
        </Stack>
      )}
    </>
  )
}

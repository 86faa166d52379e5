import { useTranslation } from 'react-i18next'
import { logMessages } from './messages.ts'

const known = logMessages.en.end

const isKnown = (reason: string): reason is keyof typeof known => Object.hasOwn(known, reason)

/** Why a request ended, in words; a reason of a newer server stays as it came. */
export function useEndReason(reason: string): string {
  const { t } = useTranslation()
  return isKnown(reason) ? t(`log.end.${reason}`) : reason
}

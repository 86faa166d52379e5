import { useTranslation } from '../../i18n/use-translation.ts'
import { logMessages } from './messages.ts'

const { fault, attemptReason } = logMessages.en

const isFault = (kind: string): kind is keyof typeof fault => Object.hasOwn(fault, kind)
const isAttemptReason = (reason: string): reason is keyof typeof attemptReason =>
  Object.hasOwn(attemptReason, reason)

/** Why an attempt failed. Gateway reasons are localized; provider errors are shown unchanged. */
export function useAttemptReason(reason: string): string {
  const { t } = useTranslation()
  if (isAttemptReason(reason)) return t(`log.attemptReason.${reason}`)
  const [kind = '', ...rest] = reason.split(': ')
  return isFault(kind) ? t(`log.fault.${kind}`, { detail: rest.join(': ') }) : reason
}

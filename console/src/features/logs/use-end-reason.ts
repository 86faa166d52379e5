import { useTranslation } from '../../i18n/use-translation.ts'
import { logMessages } from './messages.ts'

const { end, fault, attemptReason, refusal } = logMessages.en

const isEnd = (reason: string): reason is keyof typeof end => Object.hasOwn(end, reason)
const isRefusal = (code: string): code is keyof typeof refusal => Object.hasOwn(refusal, code)
const isFault = (kind: string): kind is keyof typeof fault => Object.hasOwn(fault, kind)
const isAttemptReason = (reason: string): reason is keyof typeof attemptReason =>
  Object.hasOwn(attemptReason, reason)

/** Localized end reason or refusal. Reasons of newer servers are shown unchanged. */
export function useEndReason(reason: string): string {
  const { t } = useTranslation()
  if (isRefusal(reason)) return t(`log.refusal.${reason}`)
  return isEnd(reason) ? t(`log.end.${reason}`) : reason
}

/** Why an attempt failed. Gateway reasons are localized; provider errors are shown unchanged. */
export function useAttemptReason(reason: string): string {
  const { t } = useTranslation()
  if (isAttemptReason(reason)) return t(`log.attemptReason.${reason}`)
  const [kind = '', ...rest] = reason.split(': ')
  return isFault(kind) ? t(`log.fault.${kind}`, { detail: rest.join(': ') }) : reason
}

import { useTranslation } from '../i18n/use-translation.ts'
import { outcomeMessages } from './outcome.messages.ts'

const { end, refusal } = outcomeMessages.en

const isEnd = (reason: string): reason is keyof typeof end => Object.hasOwn(end, reason)
const isRefusal = (code: string): code is keyof typeof refusal => Object.hasOwn(refusal, code)

/** Localized end reason or refusal. Reasons of newer servers are shown unchanged. */
export function useEndReason(reason: string): string {
  const { t } = useTranslation()
  if (isRefusal(reason)) return t(`outcome.refusal.${reason}`)
  return isEnd(reason) ? t(`outcome.end.${reason}`) : reason
}

import { useTranslation } from '../../i18n/use-translation.ts'
import { useEndReason } from '../../ui/use-end-reason.ts'

/** Codes of the API that mean what the log says with another word. */
const END_REASONS: Readonly<Record<string, string>> = {
  model_not_found: 'no_channel',
  no_available_channel: 'no_channel',
  no_channel_at_price: 'no_channel',
  channels_waiting: 'upstream_error',
  upstream_error: 'upstream_error',
  upstream_overloaded: 'upstream_error',
  upstream_timeout: 'deadline',
  database_unavailable: 'database_away',
  insufficient_quota: 'insufficient_user_quota',
}

/** A code in the words of the log; empty if it has none. */
export function useFailureReason(code: string): string {
  const { t } = useTranslation()
  const reason = useEndReason(END_REASONS[code] ?? code)
  if (code === 'unreachable') return t('common.error.unreachable')
  return reason === code ? '' : reason
}

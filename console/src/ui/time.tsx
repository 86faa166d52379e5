import { useTranslation } from 'react-i18next'
import { formatRelative, formatTime } from '../lib/format.ts'

/** A moment, with how long ago it was on hover. */
export function Time({ seconds }: { seconds: number }) {
  const { i18n } = useTranslation()
  if (seconds === 0) return formatTime(0)
  const relative = formatRelative(seconds, Math.floor(Date.now() / 1000), i18n.language)
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} title={relative} className="numbers">
      {formatTime(seconds)}
    </time>
  )
}

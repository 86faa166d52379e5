import { useTranslation } from '../i18n/use-translation.ts'
import { formatRelative, formatTime } from '../lib/format.ts'
import { nowSeconds } from '../lib/server-clock.ts'

export function Time({ seconds }: { seconds: number }) {
  const { language } = useTranslation()
  if (seconds === 0) return formatTime(0)
  const relative = formatRelative(seconds, Math.floor(nowSeconds()), language)
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} title={relative} className="numbers">
      {formatTime(seconds)}
    </time>
  )
}

type AgoProps = { seconds: number; format: (ago: string) => string }

export function Ago({ seconds, format }: AgoProps) {
  const { language } = useTranslation()
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} title={formatTime(seconds)}>
      {format(formatRelative(seconds, Math.floor(nowSeconds()), language))}
    </time>
  )
}

import { storableText } from '../../store/storable-text.ts'

const LENGTH_MAX = 200

/** The User-Agent for display: invisible characters removed, cut to 200 characters. */
export const presentUserAgent = (userAgent: string) =>
  storableText(userAgent.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim(), LENGTH_MAX)

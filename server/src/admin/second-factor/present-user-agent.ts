import { storableText } from '../../store/storable-text.ts'

const LENGTH_MAX = 200

/** As much of a browser's name for itself as a list shows; nothing that cannot be seen. */
export const shownUserAgent = (userAgent: string) =>
  storableText(userAgent.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim(), LENGTH_MAX)

import type { InBoth } from '@tollgate/contract'

const SLOW = /^The test took ([\d.]+) s, more than the ([\d.]+) s allowed\.$/

/** The reason of a verdict on a slow test, which is stored in English; null for other reasons. */
export function slowReasonInBoth(reason: string): InBoth | null {
  const [, took, allowed] = SLOW.exec(reason) ?? []
  if (took === undefined || allowed === undefined) return null
  return { en: reason, zh: `测试用时 ${took} 秒，超过允许的 ${allowed} 秒。` }
}

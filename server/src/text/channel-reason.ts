import type { InBoth } from '@tollgate/contract'

const SLOW = /^The test took ([\d.]+) s, more than the ([\d.]+) s allowed\.$/
const EMPTY = /^The provider reports a balance of (-?[\d,.]+ [A-Z]+)\.$/

/** The reason of a channel without money. `balance` is an amount with its currency. */
export const emptyReason = (balance: string) => `The provider reports a balance of ${balance}.`

/** A reason written by this server, which is stored in English; null for other reasons. */
export function channelReasonInBoth(reason: string): InBoth | null {
  const [, balance] = EMPTY.exec(reason) ?? []
  if (balance !== undefined) return { en: reason, zh: `服务商报告的余额为 ${balance}。` }
  const [, took, allowed] = SLOW.exec(reason) ?? []
  if (took === undefined || allowed === undefined) return null
  return { en: reason, zh: `测试用时 ${took} 秒，超过允许的 ${allowed} 秒。` }
}

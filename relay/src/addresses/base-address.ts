import { memoize } from '../bytes/memoize.ts'

/**
 * Splits a base address into the parts before and after an appended path. `query` includes its
 * question mark, or is empty. A fragment is dropped: a path appended to it would never be sent.
 */
export const splitBase = memoize((base): { readonly address: string; readonly query: string } => {
  const [sent = ''] = base.trim().split('#', 1)
  const at = sent.indexOf('?')
  const address = (at === -1 ? sent : sent.slice(0, at)).replace(/\/+$/, '')
  return { address, query: at === -1 ? '' : sent.slice(at) }
})

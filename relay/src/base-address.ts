/**
 * The parts of a base address that a path is put between. `query` begins with its question mark, or is empty.
 * A fragment is left out: what is appended to it would never be sent.
 */
export function splitBase(base: string): { address: string; query: string } {
  const [sent = ''] = base.trim().split('#', 1)
  const at = sent.indexOf('?')
  const address = (at === -1 ? sent : sent.slice(0, at)).replace(/\/+$/, '')
  return { address, query: at === -1 ? '' : sent.slice(at) }
}

import type { IncomingHttpHeaders } from 'node:http'

/**
 * Every call requests the identity encoding. A compressed answer is rejected because decompressing
 * it could take unbounded memory.
 */
export function isCompressed({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): boolean {
  return !/^(?:identity)?$/i.test(encoding.trim())
}

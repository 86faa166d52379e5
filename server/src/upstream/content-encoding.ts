import type { IncomingHttpHeaders } from 'node:http'

/** Every call asks for bytes as they are; unpacking what comes all the same could take any memory. */
export function isPacked({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): boolean {
  return !/^(?:identity)?$/i.test(encoding.trim())
}

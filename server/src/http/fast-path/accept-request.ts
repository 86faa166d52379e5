import { type RequestHead, type RequestRules, readRequestHead } from '../../http1/request-head.ts'

const RULES: RequestRules = { bytesMax: 16 * 1024, countMax: 100, repeats: 'rejected' }

/** Node.js handles requests with these. */
const NOT_ACCEPTED = ['expect', 'upgrade', 'proxy-connection'] as const

/**
 * Parses the head at the start of `bytes`. Returns null if the head is incomplete, unusual or
 * ambiguous.
 */
export function acceptRequest(
  bytes: Buffer,
  accepts: (url: string) => boolean,
): RequestHead | null {
  const head = readRequestHead(bytes, RULES, accepts)
  return head !== null && isSimple(head) ? head : null
}

function isSimple({ method, headers }: RequestHead): boolean {
  const { host, connection, 'content-length': length } = headers
  return (
    (method === 'GET' || (method === 'POST' && length !== undefined)) &&
    host !== undefined &&
    NOT_ACCEPTED.every((name) => headers[name] === undefined) &&
    (connection === undefined || /^(?:keep-alive|close)$/i.test(connection))
  )
}

type EarlyCalls = {
  readonly user: readonly string[]
  readonly admin: readonly string[]
  /** An administrator whose first steps are neither done nor hidden in this browser. */
  readonly newcomer?: readonly string[]
}

const forAll = (...calls: string[]): EarlyCalls => ({ user: calls, admin: calls })

const LIST = '?p=0&size=50&order=desc'
/** An hour from now. */
const END = '{end}'
const LOG = `?type=0&start_timestamp=0&end_timestamp=${END}`
const LOG_ROWS = `${LOG}&p=0&size=50&order=desc&sort=id`

/**
 * What pages ask for first at their plain addresses, by the path of the page. An address must be
 * the one that the page asks for: `e2e/requests.e2e.ts` fails if an early answer serves no call.
 */
const EARLY_CALLS: Readonly<Record<string, EarlyCalls>> = {
  '/': {
    user: [],
    admin: [],
    newcomer: ['/api/user/self', '/api/channel/?size=1&sort=used_quota&order=desc'],
  },
  '/token': forAll(`/api/token/${LIST}`),
  '/catalog': forAll('/api/catalog'),
  '/play': forAll('/api/catalog', '/api/token/?size=100'),
  '/channel': {
    user: [],
    admin: [`/api/channel/${LIST}&sort=health`, '/api/channel/summary', '/api/option/managed'],
  },
  '/log': {
    user: [`/api/log/self${LOG_ROWS}`, `/api/log/self/stat${LOG}`, `/api/log/self/facets${LOG}`],
    admin: [`/api/log/${LOG_ROWS}`, `/api/log/stat${LOG}`, `/api/log/facets${LOG}`],
  },
}

/** The calls of a page at a time in epoch seconds, without the status, which all pages ask for. */
export function earlyCallsOf(path: string, who: keyof EarlyCalls, now: number): string[] {
  const end = String(Math.floor(now) + 3600)
  const { admin = [], [who]: calls = admin } = EARLY_CALLS[path] ?? {}
  return calls.map((call) => call.replace(END, end))
}

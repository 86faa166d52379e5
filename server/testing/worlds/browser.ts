import type { Answer, Call, ControlPlane } from './control-plane.ts'

type Cookie = { value: string; path: string }

export type Browser = ReturnType<typeof openBrowser>

/** Keeps cookies by path until the server clears them, as browsers do. */
export function openBrowser(
  plane: Pick<ControlPlane, 'call'>,
  { session, address }: { session?: string; address?: string } = {},
) {
  const jar = new Map<string, Cookie>()
  if (session !== undefined) jar.set('session', { value: session, path: '/' })
  return {
    get: async (url: string, options: Omit<Call, 'as' | 'body' | 'bytes'> = {}) => {
      const { pathname } = new URL(url, 'http://localhost')
      const cookie = [...jar]
        .filter(([, { path }]) => pathname.startsWith(path))
        .map(([name, { value }]) => `${name}=${value}`)
        .join('; ')
      const answer = await plane.call('GET', url, {
        ...(address === undefined ? {} : { address }),
        ...options,
        headers: { ...(cookie === '' ? {} : { cookie }), ...options.headers },
      })
      for (const line of setCookies(answer)) store(jar, line)
      return answer
    },
    cookie: (name: string) => jar.get(name)?.value,
    remember: (name: string, value: string) => void jar.set(name, { value, path: '/' }),
    forget: (name: string) => void jar.delete(name),
  }
}

function setCookies({ headers }: Answer): string[] {
  const given = headers['set-cookie']
  if (given === undefined) return []
  return Array.isArray(given) ? given : [String(given)]
}

function store(jar: Map<string, Cookie>, line: string) {
  const match = /^([^=]+)=([^;]*)/.exec(line)
  if (!match) throw new Error(`no cookie: ${line}`)
  const [, name = '', value = ''] = match
  const path = /; Path=([^;]+)/.exec(line)?.[1] ?? '/'
  if (value === '' || /; Max-Age=0(?:;|$)/.test(line)) jar.delete(name)
  else jar.set(name, { value, path })
}

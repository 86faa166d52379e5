/** Values of the segments of a path that begin with a colon. */
export type Params = Readonly<Record<string, string>>

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')

/** The parameters of a path that fits, or null. Case and a slash at the end do not matter. */
function paramsIn(pattern: string, pathname: string): Params | null {
  if (pattern === '*') return {}
  const wanted = segmentsOf(pattern)
  const given = segmentsOf(pathname)
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const text = given[index] ?? ''
    if (segment.startsWith(':')) params[segment.slice(1)] = decoded(text)
    else if (segment.toLowerCase() !== text.toLowerCase()) return null
  }
  return params
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const freedom = (params: Params, pattern: string) =>
  pattern === '*' ? Infinity : Object.keys(params).length

/** The route with the fewest parameters wins, so that `/user/add` is no id. */
export function matchRoute<Route extends { path: string }>(
  routes: readonly Route[],
  pathname: string,
): { route: Route; params: Params } | undefined {
  return routes
    .flatMap((route) => {
      const params = paramsIn(route.path, pathname)
      return params ? [{ route, params }] : []
    })
    .toSorted((a, b) => freedom(a.params, a.route.path) - freedom(b.params, b.route.path))[0]
}

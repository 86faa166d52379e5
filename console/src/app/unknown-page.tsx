import { Navigate, useLocation } from '../lib/router/router.tsx'
import { DeadEnd } from './dead-end.tsx'
import { pathNow } from './old-paths.ts'

/** Under an address that has no page: leads on from one that another console had. */
export function UnknownPage() {
  const { pathname, search } = useLocation()
  const path = pathNow(pathname)
  return path === null ? <DeadEnd reason="notFound" /> : <Navigate to={path + search} />
}

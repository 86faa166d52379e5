import { isRoot } from '@tollgate/contract'
import { useIsPageShown } from '../lib/page-shown.ts'
import { useSession } from '../lib/session.ts'
import { LazyPart } from '../ui/lazy-part.tsx'

const load = () => import('./unconfirmed-notice.tsx').then((module) => module.UnconfirmedNotice)

const NO_PROPS = {}

/** Only the super administrator can confirm changes, so nobody else loads the notice. */
export function UnconfirmedGate() {
  const user = useSession()
  const isPageShown = useIsPageShown()
  if (user === null || !isRoot(user.role) || !isPageShown) return null
  return <LazyPart key={user.id} name="unconfirmed-notice" load={load} props={NO_PROPS} />
}

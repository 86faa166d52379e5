import { useCallback } from 'react'
import { useFactorRequired } from '../lib/required-factor.ts'
import { useLocation } from '../lib/router/router.tsx'
import { useIsAdmin } from '../lib/session.ts'
import { setPrompted } from '../lib/storage.ts'
import { useStored } from '../lib/use-stored.ts'
import { LazyPart } from '../ui/lazy-part.tsx'
import classes from './layout.module.css'

/** The start page has steps of its own. */
const SHOWN_ON = ['/channel', '/token']

const load = () => import('./first-steps.tsx').then((module) => module.FirstSteps)

/** Once completed or hidden, the first steps load no code and make no calls. */
export function FirstStepsGate() {
  const { pathname } = useLocation()
  const isAdmin = useIsAdmin()
  const needsFactor = useFactorRequired()
  const [hidden] = useStored('prompt-first-steps')
  const hide = useCallback(() => setPrompted('first-steps'), [])
  if (!isAdmin || needsFactor || hidden === 'true' || !SHOWN_ON.includes(pathname)) return null
  return (
    <div className={classes['steps']}>
      <LazyPart name="first-steps" load={load} props={{ onHide: hide }} />
    </div>
  )
}

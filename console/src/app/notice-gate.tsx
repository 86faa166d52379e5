import { useLocation } from '../lib/router/router.tsx'
import { useStatus } from '../lib/status.ts'
import { useStored } from '../lib/use-stored.ts'
import { LazyPart } from '../ui/lazy-part.tsx'
import { focusMain } from './focus-main.ts'

const load = () => import('./notice-bar.tsx').then((module) => module.NoticeBar)

/** This page shows the notice itself. */
const STATUS_PAGE = '/system-status'

/** Short hash: equal texts have equal fingerprints. */
function fingerprint(text: string): string {
  let hash = 0
  for (const character of text) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) | 0
  return (hash >>> 0).toString(36)
}

/** The operator's notice until it is dismissed; each text once per browser. */
export function NoticeGate() {
  const { pathname } = useLocation()
  const notice = useStatus()?.notice.trim() ?? ''
  const [prompted, setPrompted] = useStored(`prompt-notice-${fingerprint(notice)}`)
  if (notice === '' || prompted === 'true' || pathname === STATUS_PAGE) return null
  const dismiss = () => {
    setPrompted('true')
    focusMain()
  }
  return <LazyPart name="notice-bar" load={load} props={{ notice, onDismiss: dismiss }} />
}

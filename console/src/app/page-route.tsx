import {
  type ComponentType,
  type ReactNode,
  startTransition,
  useEffect,
  useMemo,
  useState,
} from 'react'
import { addTexts, t as translate } from '../i18n/texts.ts'
import type { MessageKey } from '../i18n/types.ts'
import { useTranslation } from '../i18n/use-translation.ts'
import type { Feature, FeaturePage, PublicSwitch } from '../lib/feature.ts'
import { loadChunk } from '../lib/load-chunk.ts'
import { markPageShown } from '../lib/page-shown.ts'
import { useFactorRequired } from '../lib/required-factor.ts'
import { Navigate, type Route, useLocation } from '../lib/router/router.tsx'
import { loginPath, useSession } from '../lib/session.ts'
import { useStatus } from '../lib/status.ts'
import { LazyPart } from '../ui/lazy-part.tsx'
import { Loading } from '../ui/loading.tsx'
import { DeadEnd } from './dead-end.tsx'
import { isPublic, mayOpen } from './use-nav-items.ts'

/** `Content` is undefined until the first successful `load`. */
type PageCode = { Content: ComponentType | undefined; load: () => Promise<void> }

const codes = new Map<string, PageCode>()

/** Preloads a page about to be opened. A failure is reported when the page opens. */
export function preloadPage(path = '') {
  const code = codes.get(path)
  if (code && !code.Content) code.load().catch(() => undefined)
}

export function pageRoute(
  feature: Feature,
  { path, title, access, publicIf, section, isBeforeFactor, load }: FeaturePage,
): Route {
  const code: PageCode = {
    Content: undefined,
    load: async () => {
      const [component, texts] = await loadChunk(translate(title), () =>
        Promise.all([load(), feature.messages()]),
      )
      addTexts(feature.name, texts)
      code.Content = component
    },
  }
  codes.set(path, code)
  return {
    path,
    title,
    section: section ?? feature.nav?.find((item) => path.startsWith(item.path))?.path,
    element: (
      <Guard
        key={path}
        access={access}
        publicIf={publicIf}
        isBeforeFactor={isBeforeFactor === true}
      >
        <LoadedPage title={title} code={code} />
      </Guard>
    ),
  }
}

/**
 * React's `lazy` is unsuitable: it shows its placeholder for at least 300 ms, even if the code
 * loads sooner.
 */
function LoadedPage({ title, code }: { title: MessageKey; code: PageCode }) {
  const { t } = useTranslation()
  const [state, setState] = useState<{ error: unknown } | 'coming' | 'here'>(
    code.Content ? 'here' : 'coming',
  )
  useEffect(() => {
    if (state !== 'coming') return
    code.load().then(
      // In short slices, so that the frame answers while a large page is rendered.
      () => startTransition(() => setState('here')),
      (error: unknown) => setState({ error }),
    )
  }, [code, state])
  useEffect(() => {
    if (state === 'here') markPageShown()
  }, [state])
  if (typeof state === 'object') throw state.error
  const { Content } = code
  return Content ? <Content /> : <Loading page={t(title)} />
}

const loadFactorNeeded = () => import('./factor-needed.tsx').then((module) => module.FactorNeeded)

type GuardProps = Pick<FeaturePage, 'access'> & {
  publicIf: PublicSwitch | undefined
  isBeforeFactor: boolean
  children: ReactNode
}

function Guard({ access, publicIf, isBeforeFactor, children }: GuardProps) {
  const user = useSession()
  const status = useStatus()
  const needsFactor = useFactorRequired() && user !== null
  const from = useLocation()
  const state = useMemo(() => ({ from }), [from])
  if (needsFactor && !isBeforeFactor) {
    return <LazyPart name="factor-needed" load={loadFactorNeeded} props={{}} />
  }
  if (mayOpen(access, user) || isPublic(status, publicIf)) return children
  // Only the status says whether a visitor may stay.
  if (!user && publicIf !== undefined && status === undefined) return null
  if (!user) return <Navigate to={loginPath()} state={state} />
  return <DeadEnd reason="notAllowed" />
}

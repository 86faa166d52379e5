import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { type ReactNode, startTransition, useEffect, useMemo, useState } from 'react'
import { addTexts, t as translate } from '../i18n/texts.ts'
import type { MessageKey } from '../i18n/types.ts'
import { useTranslation } from '../i18n/use-translation.ts'
import type { Ask, Feature, FeaturePage, PageContent, PublicSwitch } from '../lib/feature.ts'
import { loadChunk } from '../lib/load-chunk.ts'
import { markPageShown } from '../lib/page-shown.ts'
import { useFactorRequired } from '../lib/required-factor.ts'
import { currentLocation } from '../lib/router/history.ts'
import { Navigate, type Route, useLocation } from '../lib/router/router.tsx'
import { getSession, loginPath, useSession } from '../lib/session.ts'
import { statusQuery, useStatus } from '../lib/status.ts'
import { LazyPart } from '../ui/lazy-part.tsx'
import { Loading } from '../ui/loading.tsx'
import { DeadEnd } from './dead-end.tsx'
import { isPublic, mayOpen } from './use-nav-items.ts'

type PageCode = Pick<FeaturePage, 'access'> & {
  /** Undefined until the page can be drawn. */
  Content: PageContent | undefined
  /** `prepare` is awaited before the page is drawn. */
  load: (prepare?: (content: PageContent) => Promise<unknown>) => Promise<void>
  /** The first page of a visit, while it loads. */
  loading?: Promise<void>
}

/** A page whose answers take longer is drawn without them. */
const ANSWERS_MS_MAX = 1000

const codes = new Map<string, PageCode>()

/**
 * Loads the page of the first address, and sends the requests that it is drawn from, while the
 * frame is drawn. The HTML requests the code too, so that it is mostly there.
 */
export function preloadFirst(path: string | undefined, client: QueryClient) {
  const code = codes.get(path ?? '')
  if (code === undefined || !mayOpen(code.access, getSession())) return
  code.loading = code.load(async ({ asks }) => {
    const answers = asks && answersOf(asks, client)
    await Promise.race([answers, new Promise((done) => setTimeout(done, ANSWERS_MS_MAX))])
  })
  code.loading.catch(() => undefined).finally(() => delete code.loading)
}

/** The first answer brings the server's time, which later requests need. */
async function answersOf(asks: NonNullable<PageContent['asks']>, client: QueryClient) {
  const cache = client.getQueryCache()
  const sent: Promise<unknown>[] = []
  /** After a failure the page asks again, and shows its own. */
  const forget = (queryKey: QueryKey) => {
    const query = cache.find({ queryKey, exact: true })
    if (query?.isActive() === false) cache.remove(query)
  }
  const ask: Ask = (query) => sent.push(client.query(query).catch(() => forget(query.queryKey)))
  const status = await client.query(statusQuery).catch(() => undefined)
  if (status) asks(ask, new URLSearchParams(currentLocation().search))
  await Promise.all(sent)
}

/** Preloads a page about to be opened. A failure is reported when the page opens. */
export function preloadPage(path: string) {
  const code = codes.get(path)
  if (code && !code.Content) code.load().catch(() => undefined)
}

export function pageRoute(
  feature: Feature,
  { path, title, access, publicIf, section, isBeforeFactor, load }: FeaturePage,
): Route {
  const code: PageCode = {
    access,
    Content: undefined,
    load: async (prepare) => {
      const [component, texts] = await loadChunk(translate(title), () =>
        Promise.all([load(), feature.messages()]),
      )
      addTexts(feature.name, texts)
      await prepare?.(component)
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
    const loaded = code.loading ?? code.load()
    loaded.then(
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

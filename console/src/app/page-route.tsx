import i18next from 'i18next'
import { lazy, type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, type RouteObject, useLocation } from 'react-router'
import { addTexts } from '../i18n/setup.ts'
import type { MessageKey } from '../i18n/types.ts'
import type { Feature, FeaturePage } from '../lib/feature.ts'
import { loadChunk } from '../lib/load-chunk.ts'
import { loginPath, useSession } from '../lib/session.ts'
import { Loading } from '../ui/loading.tsx'
import { DeadEnd } from './dead-end.tsx'
import { mayOpen } from './use-nav-items.ts'

/** The route of a page, with its title, its guard and its placeholder. */
export function pageRoute(
  feature: Feature,
  { path, title, access, section, load }: FeaturePage,
): RouteObject {
  const Content = lazy(async () => {
    const [component, texts] = await loadChunk(i18next.t(title), () =>
      Promise.all([load(), feature.messages()]),
    )
    addTexts(feature.name, texts)
    return { default: component }
  })
  const page = (
    <Suspense fallback={<PageLoading title={title} />}>
      <Content />
    </Suspense>
  )
  return {
    path,
    handle: {
      title,
      section: section ?? feature.nav.find((item) => path.startsWith(item.path))?.path,
    },
    element: (
      <Guard key={path} access={access}>
        {page}
      </Guard>
    ),
  }
}

function PageLoading({ title }: { title: MessageKey }) {
  const { t } = useTranslation()
  return <Loading page={t(title)} />
}

function Guard({ access, children }: Pick<FeaturePage, 'access'> & { children: ReactNode }) {
  const user = useSession()
  const from = useLocation()
  if (mayOpen(access, user)) return children
  if (!user) return <Navigate to={loginPath()} replace state={{ from }} />
  return <DeadEnd reason="notAllowed" />
}

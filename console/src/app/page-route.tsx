import { lazy, type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, type RouteObject, useLocation } from 'react-router'
import { addTexts } from '../i18n/setup.ts'
import type { MessageKey } from '../i18n/types.ts'
import type { Feature, FeaturePage } from '../lib/feature.ts'
import { loginPath, useSession } from '../lib/session.ts'
import { Loading } from '../ui/loading.tsx'

/** The route of a page, with its title, its guard and its placeholder. */
export function pageRoute(
  feature: Feature,
  { path, title, signedIn, load }: FeaturePage,
): RouteObject {
  const Content = lazy(async () => {
    const [component, texts] = await Promise.all([load(), feature.messages()])
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
    handle: { title },
    element: signedIn ? <SignedIn key={path}>{page}</SignedIn> : <Open key={path}>{page}</Open>,
  }
}

function PageLoading({ title }: { title: MessageKey }) {
  const { t } = useTranslation()
  return <Loading page={t(title)} />
}

function Open({ children }: { children: ReactNode }) {
  return children
}

function SignedIn({ children }: { children: ReactNode }) {
  const user = useSession()
  const from = useLocation()
  return user ? children : <Navigate to={loginPath()} replace state={{ from }} />
}

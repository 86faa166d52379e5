import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, type RouteObject, useLocation } from 'react-router'
import type { MessageKey } from '../i18n/types.ts'
import { Loading } from '../ui/loading.tsx'
import { useSession } from './session.ts'

type PageParts = {
  title: MessageKey
  /** Whether a user must be kept in this browser; the server decides everything else. */
  signedIn: boolean
  load: () => Promise<ComponentType>
}

export type PageHandle = { title: MessageKey }

/** A page as a chunk of its own, with its title, its guard and its placeholder. */
export function pageRoute(path: string, { title, signedIn, load }: PageParts): RouteObject {
  const Content = lazy(async () => ({ default: await load() }))
  const page = (
    <Suspense fallback={<PageLoading title={title} />}>
      <Content />
    </Suspense>
  )
  return {
    path,
    handle: { title } satisfies PageHandle,
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
  return user ? children : <Navigate to="/login" replace state={{ from }} />
}

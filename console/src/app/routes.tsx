import type { Route } from '../lib/router/router.tsx'
import { DeadEnd } from './dead-end.tsx'
import { features } from './features.ts'
import { pageRoute } from './page-route.tsx'

export const routes: readonly Route[] = [
  ...features.flatMap((feature) => feature.pages.map((page) => pageRoute(feature, page))),
  { path: '*', title: 'app.notFound.title', element: <DeadEnd reason="notFound" /> },
]

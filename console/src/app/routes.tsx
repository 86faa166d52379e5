import type { Route } from '../lib/router/router.tsx'
import { features } from './features.ts'
import { pageRoute } from './page-route.tsx'
import { UnknownPage } from './unknown-page.tsx'

export const routes: readonly Route[] = [
  ...features.flatMap((feature) => feature.pages.map((page) => pageRoute(feature, page))),
  { path: '*', title: 'app.notFound.title', element: <UnknownPage /> },
]

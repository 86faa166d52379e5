import { createBrowserRouter } from 'react-router'
import { basePath } from '../lib/base-path.ts'
import { DeadEnd } from './dead-end.tsx'
import { ErrorPage } from './error-page.tsx'
import { features } from './features.ts'
import { Layout } from './layout.tsx'
import { pageRoute } from './page-route.tsx'

export function createRouter() {
  return createBrowserRouter(
    [
      {
        element: <Layout />,
        errorElement: <ErrorPage />,
        children: [
          {
            errorElement: <ErrorPage />,
            children: [
              ...features.flatMap((feature) =>
                feature.pages.map((page) => pageRoute(feature, page)),
              ),
              {
                path: '*',
                handle: { title: 'app.notFound.title' },
                element: <DeadEnd reason="notFound" />,
              },
            ],
          },
        ],
      },
    ],
    { basename: basePath || '/' },
  )
}

import { createBrowserRouter } from 'react-router'
import { ErrorPage } from './error-page.tsx'
import { features } from './features.ts'
import { Layout } from './layout.tsx'
import { NotFoundPage } from './not-found-page.tsx'

export function createRouter() {
  return createBrowserRouter([
    {
      element: <Layout />,
      errorElement: <ErrorPage />,
      children: [
        {
          errorElement: <ErrorPage />,
          children: [
            ...features.map(({ nav, routes }) => ({
              handle: { section: nav[0]?.path },
              children: routes,
            })),
            { path: '*', handle: { title: 'app.notFound.title' }, element: <NotFoundPage /> },
          ],
        },
      ],
    },
  ])
}

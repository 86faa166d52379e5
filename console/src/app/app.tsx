import { MantineProvider } from '@mantine/core'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { Router } from '../lib/router/router.tsx'
import { areToastsWanted, onToastsWanted } from '../lib/toast.ts'
import { storedColorScheme } from '../ui/color-scheme.ts'
import { cssVariables, theme } from '../ui/theme.ts'
import { ErrorBoundary } from './error-page.tsx'
import { Layout } from './layout.tsx'
import { routes } from './routes.tsx'

const Toasts = lazy(async () => ({ default: (await import('../ui/toasts.tsx')).Toasts }))

export function App({ client }: { client: QueryClient }) {
  const [colorScheme] = useState(storedColorScheme)
  return (
    <QueryClientProvider client={client}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colorScheme}
        defaultColorScheme="auto"
      >
        <Router routes={routes}>
          <ErrorBoundary>
            <Layout />
          </ErrorBoundary>
        </Router>
        <WantedToasts />
      </MantineProvider>
    </QueryClientProvider>
  )
}

function WantedToasts() {
  const areWanted = useSyncExternalStore(onToastsWanted, areToastsWanted)
  return (
    areWanted && (
      <Suspense>
        <Toasts />
      </Suspense>
    )
  )
}

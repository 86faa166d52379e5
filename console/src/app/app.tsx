import { MantineProvider } from '@mantine/core'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { RouterProvider } from 'react-router'
import { areToastsWanted, onToastsWanted } from '../lib/toast.ts'
import { storedColorScheme } from '../ui/color-scheme.ts'
import { cssVariables, theme } from '../ui/theme.ts'
import type { createRouter } from './routes.tsx'

const Toasts = lazy(async () => ({ default: (await import('../ui/toasts.tsx')).Toasts }))

type Props = { client: QueryClient; router: ReturnType<typeof createRouter> }

export function App({ client, router }: Props) {
  const [colorScheme] = useState(storedColorScheme)
  return (
    <QueryClientProvider client={client}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colorScheme}
        defaultColorScheme="auto"
      >
        <RouterProvider router={router} />
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

import { MantineProvider } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { RouterProvider } from 'react-router'
import { ToastContainer } from 'react-toastify'
import { storedColorScheme } from '../ui/color-scheme.ts'
import { cssVariables, theme } from '../ui/theme.ts'
import type { createRouter } from './routes.tsx'

type Props = { client: QueryClient; router: ReturnType<typeof createRouter> }

export function App({ client, router }: Props) {
  const { t } = useTranslation()
  const isNarrow = useMediaQuery('(max-width: 600px)')
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
        <ToastContainer
          position={isNarrow ? 'top-center' : 'top-right'}
          aria-label={t('common.frame.toasts')}
          limit={5}
          newestOnTop
          theme="light"
        />
      </MantineProvider>
    </QueryClientProvider>
  )
}

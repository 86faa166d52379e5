import i18next from 'i18next'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import { App } from './app/app.tsx'
import { features } from './app/features.ts'
import { appMessages } from './app/messages.ts'
import { createRouter } from './app/routes.tsx'
import { setUpTexts } from './i18n/setup.ts'
import { createQueryClient } from './lib/query-client.ts'
import { expireSession, loginPath } from './lib/session.ts'
import { statusQuery } from './lib/status.ts'
import { showError } from './lib/toast.ts'
import './ui/global.css'

// The content security policy forbids code made from text, which zod would try first.
z.config({ jitless: true })

const titles = features.map(({ name, titles: texts }) => [`${name}Title`, texts] as const)
await setUpTexts({ app: appMessages, ...Object.fromEntries(titles) })

const router = createRouter()

const client = createQueryClient(() => {
  expireSession()
  const { pathname, search } = router.state.location
  if (pathname !== '/login') {
    void router.navigate(loginPath(), { state: { from: { pathname, search } } })
  }
})

client.query(statusQuery).catch(() => showError(i18next.t('common.error.status')))

const root = document.querySelector('#root')
if (!root) throw new Error('The page has no #root')
createRoot(root).render(
  <StrictMode>
    <App client={client} router={router} />
  </StrictMode>,
)

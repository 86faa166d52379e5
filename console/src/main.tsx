import i18next from 'i18next'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { features } from './app/features.ts'
import { appMessages } from './app/messages.ts'
import { createRouter } from './app/routes.tsx'
import { setUpTexts } from './i18n/setup.ts'
import { createQueryClient } from './lib/query-client.ts'
import { clearSession } from './lib/session.ts'
import { statusQuery } from './lib/status.ts'
import { showError } from './lib/toast.ts'
import './ui/global.css'

await setUpTexts([{ name: 'app', messages: appMessages }, ...features])

const router = createRouter()

const client = createQueryClient(() => {
  clearSession()
  const { pathname, search } = router.state.location
  if (pathname !== '/login') {
    void router.navigate('/login?expired=true', { state: { from: { pathname, search } } })
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

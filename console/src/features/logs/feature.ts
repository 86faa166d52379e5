import type { Feature } from '../../lib/feature.ts'
import { pageRoute } from '../../lib/page-route.tsx'
import { logMessages } from './messages.ts'

export const logsFeature: Feature = {
  name: 'log',
  messages: logMessages,
  nav: [{ path: '/log', label: 'log.nav', access: 'user', position: 70 }],
  routes: [
    pageRoute('/log', {
      title: 'log.list.title',
      signedIn: true,
      load: async () => (await import('./logs-page.tsx')).LogsPage,
    }),
  ],
}

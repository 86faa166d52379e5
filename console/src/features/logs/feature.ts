import type { Feature } from '../../lib/feature.ts'
import { logTitles } from './titles.messages.ts'

export const logsFeature: Feature = {
  name: 'log',
  titles: logTitles,
  messages: async () => (await import('./messages.ts')).logMessages,
  nav: [{ path: '/log', label: 'logTitle.nav', access: 'user', position: 70 }],
  pages: [
    {
      path: '/log',
      title: 'logTitle.list',
      access: 'user',
      load: async () => (await import('./logs-page.tsx')).LogsPage,
    },
  ],
}

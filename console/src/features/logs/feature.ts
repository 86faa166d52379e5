import type { Feature } from '../../lib/feature.ts'
import { logTitles } from './titles.messages.ts'

export const logsFeature: Feature = {
  name: 'log',
  titles: logTitles,
  messages: () => import('./messages.ts').then((module) => module.logMessages),
  nav: [
    {
      path: '/log',
      key: 'l',
      group: 'traffic',
      label: 'logTitle.nav',
      access: 'user',
      position: 70,
    },
  ],
  pages: [
    {
      path: '/log',
      title: 'logTitle.list',
      access: 'user',
      load: () => import('./logs-page.tsx').then((module) => module.LogsPage),
    },
  ],
}

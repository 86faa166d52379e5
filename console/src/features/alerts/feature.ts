import type { Feature } from '../../lib/feature.ts'
import { alertTitles } from './titles.messages.ts'

export const alertsFeature: Feature = {
  name: 'alert',
  titles: alertTitles,
  messages: () => import('./messages.ts').then((module) => module.alertMessages),
  nav: [],
  pages: [
    {
      path: '/alert',
      title: 'alertTitle.page',
      access: 'admin',
      load: () => import('./alerts-page.tsx').then((module) => module.AlertsPage),
    },
  ],
}

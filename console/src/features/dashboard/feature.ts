import type { Feature } from '../../lib/feature.ts'
import { dashboardTitles } from './titles.messages.ts'

export const dashboardFeature: Feature = {
  name: 'dashboard',
  titles: dashboardTitles,
  messages: () => import('./messages.ts').then((module) => module.dashboardMessages),
  nav: [
    {
      path: '/dashboard',
      key: 'd',
      group: 'traffic',
      label: 'dashboardTitle.nav',
      access: 'user',
      position: 32,
    },
  ],
  pages: [
    {
      path: '/dashboard',
      title: 'dashboardTitle.nav',
      access: 'user',
      load: () => import('./dashboard-page.tsx').then((module) => module.DashboardPage),
    },
  ],
}

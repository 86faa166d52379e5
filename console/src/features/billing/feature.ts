import type { Feature } from '../../lib/feature.ts'
import { billingTitles } from './titles.messages.ts'

export const billingFeature: Feature = {
  name: 'billing',
  titles: billingTitles,
  messages: () => import('./messages.ts').then((module) => module.billingMessages),
  pages: [
    {
      path: '/billing',
      title: 'billingTitle.page',
      access: 'user',
      section: '/topup',
      load: () => import('./billing-page.tsx').then((module) => module.BillingPage),
    },
    {
      path: '/reminder/stop',
      title: 'billingTitle.stop',
      access: 'public',
      load: () => import('./stop-page.tsx').then((module) => module.StopPage),
    },
  ],
}

import type { Feature } from '../../lib/feature.ts'
import { topUpTitles } from './titles.messages.ts'

export const topUpFeature: Feature = {
  name: 'topup',
  titles: topUpTitles,
  messages: () => import('./messages.ts').then((module) => module.topUpMessages),
  nav: [
    {
      path: '/topup',
      key: 'b',
      group: 'demand',
      label: 'topupTitle.nav',
      access: 'user',
      position: 55,
    },
  ],
  pages: [
    {
      path: '/topup',
      title: 'topupTitle.nav',
      access: 'user',
      load: () => import('./top-up-page.tsx').then((module) => module.TopUpPage),
    },
  ],
}

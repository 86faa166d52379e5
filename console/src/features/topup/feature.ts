import type { Feature } from '../../lib/feature.ts'
import { topUpTitles } from './titles.messages.ts'

export const topUpFeature: Feature = {
  name: 'topup',
  titles: topUpTitles,
  messages: async () => (await import('./messages.ts')).topUpMessages,
  nav: [{ path: '/topup', label: 'topupTitle.nav', access: 'user', position: 55 }],
  pages: [
    {
      path: '/topup',
      title: 'topupTitle.nav',
      access: 'user',
      load: async () => (await import('./top-up-page.tsx')).TopUpPage,
    },
  ],
}

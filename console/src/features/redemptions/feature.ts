import type { Feature } from '../../lib/feature.ts'
import { redemptionTitles } from './titles.messages.ts'

const load = async () => (await import('./redemption-form-page.tsx')).RedemptionFormPage

export const redemptionsFeature: Feature = {
  name: 'redemption',
  titles: redemptionTitles,
  messages: async () => (await import('./messages.ts')).redemptionMessages,
  nav: [{ path: '/redemption', label: 'redemptionTitle.nav', access: 'admin', position: 50 }],
  pages: [
    {
      path: '/redemption',
      title: 'redemptionTitle.list',
      access: 'admin',
      load: async () => (await import('./redemptions-page.tsx')).RedemptionsPage,
    },
    { path: '/redemption/add', title: 'redemptionTitle.add', access: 'admin', load },
    { path: '/redemption/edit/:id', title: 'redemptionTitle.edit', access: 'admin', load },
  ],
}

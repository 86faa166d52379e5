import type { Feature } from '../../lib/feature.ts'
import { pricingTitles } from './titles.messages.ts'

export const pricingFeature: Feature = {
  name: 'pricing',
  titles: pricingTitles,
  messages: async () => (await import('./messages.ts')).pricingMessages,
  pages: [
    {
      path: '/setting/prices',
      title: 'pricingTitle.prices',
      access: 'admin',
      section: '/setting',
      load: async () => (await import('./prices-page.tsx')).PricesPage,
    },
  ],
}

import type { Feature } from '../../lib/feature.ts'
import { pricingTitles } from './titles.messages.ts'

export const pricingFeature: Feature = {
  name: 'pricing',
  titles: pricingTitles,
  messages: () => import('./messages.ts').then((module) => module.pricingMessages),
  pages: [
    {
      path: '/setting/prices',
      title: 'pricingTitle.prices',
      access: 'admin',
      section: '/setting',
      load: () => import('./prices-page.tsx').then((module) => module.PricesPage),
    },
  ],
}

import type { Feature } from '../../lib/feature.ts'
import { partnerTitles } from './titles.messages.ts'

export const partnerFeature: Feature = {
  name: 'partner',
  titles: partnerTitles,
  messages: () => import('./messages.ts').then((module) => module.partnerMessages),
  nav: [
    {
      path: '/partnerplan',
      group: 'demand',
      label: 'partnerTitle.nav',
      access: 'public',
      position: 90,
    },
  ],
  pages: [
    {
      path: '/partnerplan',
      title: 'partnerTitle.nav',
      access: 'public',
      load: () => import('./partner-page.tsx').then((module) => module.PartnerPage),
    },
  ],
}

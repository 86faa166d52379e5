import type { Feature } from '../../lib/feature.ts'
import { partnerTitles } from './titles.messages.ts'

export const partnerFeature: Feature = {
  name: 'partner',
  titles: partnerTitles,
  messages: async () => (await import('./messages.ts')).partnerMessages,
  nav: [{ path: '/partnerplan', label: 'partnerTitle.nav', access: 'public', position: 90 }],
  pages: [
    {
      path: '/partnerplan',
      title: 'partnerTitle.nav',
      access: 'public',
      load: async () => (await import('./partner-page.tsx')).PartnerPage,
    },
  ],
}

import type { Feature } from '../../lib/feature.ts'
import { availabilityTitles } from './titles.messages.ts'

export const availabilityFeature: Feature = {
  name: 'availability',
  titles: availabilityTitles,
  messages: () => import('./messages.ts').then((module) => module.availabilityMessages),
  pages: [
    {
      path: '/system-status',
      title: 'availabilityTitle.page',
      access: 'admin',
      publicIf: 'public_status',
      load: () => import('./status-page.tsx').then((module) => module.StatusPage),
    },
  ],
}

import type { Feature } from '../../lib/feature.ts'
import { usageTitles } from './titles.messages.ts'

export const usageFeature: Feature = {
  name: 'usage',
  titles: usageTitles,
  messages: () => import('./messages.ts').then((module) => module.usageMessages),
  pages: [
    {
      path: '/usage',
      title: 'usageTitle.page',
      section: '/dashboard',
      access: 'user',
      load: () => import('./usage-page.tsx').then((module) => module.UsagePage),
    },
  ],
}

import type { Feature } from '../../lib/feature.ts'
import { homeTitles } from './titles.messages.ts'

export const homeFeature: Feature = {
  name: 'home',
  titles: homeTitles,
  messages: async () => (await import('./messages.ts')).homeMessages,
  pages: [
    {
      path: '/',
      title: 'homeTitle.home',
      access: 'public',
      load: async () => (await import('./home-page.tsx')).HomePage,
    },
  ],
}

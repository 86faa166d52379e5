import type { Feature } from '../../lib/feature.ts'
import { homeTitles } from './titles.messages.ts'

export const homeFeature: Feature = {
  name: 'home',
  titles: homeTitles,
  messages: () => import('./messages.ts').then((module) => module.homeMessages),
  pages: [
    {
      path: '/',
      title: 'homeTitle.home',
      access: 'public',
      load: () => import('./home-page.tsx').then((module) => module.HomePage),
    },
  ],
}

import type { Feature } from '../../lib/feature.ts'
import { playTitles } from './titles.messages.ts'

export const playFeature: Feature = {
  name: 'play',
  titles: playTitles,
  messages: () => import('./messages.ts').then((module) => module.playMessages),
  nav: [
    {
      path: '/play',
      key: 'p',
      group: 'traffic',
      label: 'playTitle.nav',
      access: 'user',
      position: 36,
    },
  ],
  pages: [
    {
      path: '/play',
      title: 'playTitle.nav',
      access: 'user',
      load: () => import('./play-page.tsx').then((module) => module.PlayPage),
    },
  ],
}

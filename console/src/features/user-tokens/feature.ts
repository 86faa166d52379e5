import type { Feature } from '../../lib/feature.ts'
import { userTokenTitles } from './titles.messages.ts'

export const userTokensFeature: Feature = {
  name: 'userToken',
  titles: userTokenTitles,
  messages: () => import('./messages.ts').then((module) => module.userTokenMessages),
  nav: [],
  pages: [
    {
      path: '/user/token',
      title: 'userTokenTitle.list',
      section: '/user',
      access: 'admin',
      load: () => import('./user-tokens-page.tsx').then((module) => module.UserTokensPage),
    },
  ],
}

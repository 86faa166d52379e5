import type { Feature } from '../../lib/feature.ts'
import { loginTitles } from './titles.messages.ts'

export const loginFeature: Feature = {
  name: 'session',
  titles: loginTitles,
  messages: () => import('./messages.ts').then((module) => module.loginMessages),
  pages: [
    {
      path: '/login',
      title: 'sessionTitle.login',
      access: 'public',
      isBeforeFactor: true,
      load: () => import('./login-page.tsx').then((module) => module.LoginPage),
    },
  ],
}

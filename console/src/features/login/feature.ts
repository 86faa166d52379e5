import type { Feature } from '../../lib/feature.ts'
import { loginTitles } from './titles.messages.ts'

export const loginFeature: Feature = {
  name: 'session',
  titles: loginTitles,
  messages: async () => (await import('./messages.ts')).loginMessages,
  pages: [
    {
      path: '/login',
      title: 'sessionTitle.login',
      access: 'public',
      isBeforeFactor: true,
      load: async () => (await import('./login-page.tsx')).LoginPage,
    },
  ],
}

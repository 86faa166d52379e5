import type { Feature } from '../../lib/feature.ts'
import { sessionTitles } from './titles.messages.ts'

export const sessionFeature: Feature = {
  name: 'session',
  titles: sessionTitles,
  messages: async () => (await import('./messages.ts')).sessionMessages,
  nav: [],
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

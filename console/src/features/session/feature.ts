import type { Feature } from '../../lib/feature.ts'
import { pageRoute } from '../../lib/page-route.tsx'
import { sessionMessages } from './messages.ts'

export const sessionFeature: Feature = {
  name: 'session',
  messages: sessionMessages,
  nav: [],
  routes: [
    pageRoute('/login', {
      title: 'session.login.title',
      signedIn: false,
      load: async () => (await import('./login-page.tsx')).LoginPage,
    }),
  ],
}

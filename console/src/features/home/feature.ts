import type { Feature } from '../../lib/feature.ts'
import { pageRoute } from '../../lib/page-route.tsx'
import { homeMessages } from './messages.ts'

export const homeFeature: Feature = {
  name: 'home',
  messages: homeMessages,
  nav: [],
  routes: [
    pageRoute('/', {
      title: 'home.page.title',
      signedIn: false,
      load: async () => (await import('./home-page.tsx')).HomePage,
    }),
  ],
}

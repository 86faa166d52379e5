import type { Feature } from '../../lib/feature.ts'
import { pageRoute } from '../../lib/page-route.tsx'
import { tokenMessages } from './messages.ts'

const load = async () => (await import('./token-form-page.tsx')).TokenFormPage

export const tokensFeature: Feature = {
  name: 'token',
  messages: tokenMessages,
  nav: [{ path: '/token', label: 'token.nav', access: 'user', position: 40 }],
  routes: [
    pageRoute('/token', {
      title: 'token.list.title',
      signedIn: true,
      load: async () => (await import('./tokens-page.tsx')).TokensPage,
    }),
    pageRoute('/token/add', { title: 'token.form.addTitle', signedIn: true, load }),
    pageRoute('/token/edit/:id', { title: 'token.form.editTitle', signedIn: true, load }),
  ],
}

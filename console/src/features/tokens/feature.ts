import type { Feature } from '../../lib/feature.ts'
import { tokenTitles } from './titles.messages.ts'

const load = async () => (await import('./token-form-page.tsx')).TokenFormPage

export const tokensFeature: Feature = {
  name: 'token',
  titles: tokenTitles,
  messages: async () => (await import('./messages.ts')).tokenMessages,
  nav: [{ path: '/token', label: 'tokenTitle.nav', access: 'user', position: 40 }],
  pages: [
    {
      path: '/token',
      title: 'tokenTitle.list',
      access: 'user',
      load: async () => (await import('./tokens-page.tsx')).TokensPage,
    },
    { path: '/token/add', title: 'tokenTitle.add', access: 'user', load },
    { path: '/token/edit/:id', title: 'tokenTitle.edit', access: 'user', load },
  ],
}

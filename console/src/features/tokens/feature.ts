import type { Feature } from '../../lib/feature.ts'
import { tokenTitles } from './titles.messages.ts'

const load = () => import('./token-form-page.tsx').then((module) => module.TokenFormPage)

export const tokensFeature: Feature = {
  name: 'token',
  titles: tokenTitles,
  messages: () => import('./messages.ts').then((module) => module.tokenMessages),
  nav: [
    {
      path: '/token',
      key: 't',
      group: 'demand',
      label: 'tokenTitle.nav',
      access: 'user',
      position: 40,
    },
  ],
  pages: [
    {
      path: '/token',
      title: 'tokenTitle.list',
      access: 'user',
      load: () => import('./tokens-page.tsx').then((module) => module.TokensPage),
    },
    { path: '/token/add', title: 'tokenTitle.add', access: 'user', load },
    {
      path: '/token/connect/:id',
      title: 'tokenTitle.connect',
      access: 'user',
      load: () => import('./connect/connect-page.tsx').then((module) => module.ConnectPage),
    },
    { path: '/token/edit/:id', title: 'tokenTitle.edit', access: 'user', load },
  ],
}

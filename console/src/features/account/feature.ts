import type { Feature } from '../../lib/feature.ts'
import { pageRoute } from '../../lib/page-route.tsx'
import { accountMessages } from './messages.ts'

export const accountFeature: Feature = {
  name: 'account',
  messages: accountMessages,
  nav: [],
  routes: [
    pageRoute('/setting', {
      title: 'account.setting.title',
      signedIn: true,
      load: async () => (await import('./setting-page.tsx')).SettingPage,
    }),
    pageRoute('/user/edit', {
      title: 'account.edit.title',
      signedIn: false,
      load: async () => (await import('./edit-self-page.tsx')).EditSelfPage,
    }),
  ],
}

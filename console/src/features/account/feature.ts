import type { Feature } from '../../lib/feature.ts'
import { accountTitles } from './titles.messages.ts'

export const accountFeature: Feature = {
  name: 'account',
  titles: accountTitles,
  messages: async () => (await import('./messages.ts')).accountMessages,
  nav: [{ path: '/setting', label: 'accountTitle.setting', access: 'user', position: 80 }],
  pages: [
    {
      path: '/setting',
      title: 'accountTitle.setting',
      access: 'user',
      isBeforeFactor: true,
      load: async () => (await import('./setting-page.tsx')).SettingPage,
    },
    {
      path: '/user/edit',
      title: 'accountTitle.edit',
      access: 'public',
      section: '/setting',
      load: async () => (await import('./edit-self-page.tsx')).EditSelfPage,
    },
  ],
}

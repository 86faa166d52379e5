import type { Feature } from '../../lib/feature.ts'
import { accountTitles } from './titles.messages.ts'

export const accountFeature: Feature = {
  name: 'account',
  titles: accountTitles,
  messages: () => import('./messages.ts').then((module) => module.accountMessages),
  nav: [
    {
      path: '/setting',
      key: 's',
      group: 'help',
      label: 'accountTitle.setting',
      access: 'user',
      position: 80,
    },
  ],
  pages: [
    {
      path: '/setting',
      title: 'accountTitle.setting',
      access: 'user',
      isBeforeFactor: true,
      load: () => import('./setting-page.tsx').then((module) => module.SettingPage),
    },
    {
      path: '/user/edit',
      title: 'accountTitle.edit',
      access: 'public',
      section: '/setting',
      load: () => import('./edit-self-page.tsx').then((module) => module.EditSelfPage),
    },
  ],
}

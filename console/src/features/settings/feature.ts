import type { Feature } from '../../lib/feature.ts'
import { settingsTitles } from './titles.messages.ts'

export const settingsFeature: Feature = {
  name: 'settings',
  titles: settingsTitles,
  messages: () => import('./messages.ts').then((module) => module.settingsMessages),
  pages: [
    {
      path: '/setting/operation',
      title: 'settingsTitle.operation',
      access: 'admin',
      section: '/setting',
      load: () => import('./operation-page.tsx').then((module) => module.OperationPage),
    },
    {
      path: '/setting/system',
      title: 'settingsTitle.system',
      access: 'admin',
      section: '/setting',
      load: () => import('./system-page.tsx').then((module) => module.SystemPage),
    },
    {
      path: '/setting/other',
      title: 'settingsTitle.other',
      access: 'admin',
      section: '/setting',
      load: () => import('./other-page.tsx').then((module) => module.OtherPage),
    },
  ],
}

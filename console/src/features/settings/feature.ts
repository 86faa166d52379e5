import type { Feature } from '../../lib/feature.ts'
import { settingsTitles } from './titles.messages.ts'

export const settingsFeature: Feature = {
  name: 'settings',
  titles: settingsTitles,
  messages: async () => (await import('./messages.ts')).settingsMessages,
  pages: [
    {
      path: '/setting/operation',
      title: 'settingsTitle.operation',
      access: 'admin',
      section: '/setting',
      load: async () => (await import('./operation-page.tsx')).OperationPage,
    },
    {
      path: '/setting/system',
      title: 'settingsTitle.system',
      access: 'admin',
      section: '/setting',
      load: async () => (await import('./system-page.tsx')).SystemPage,
    },
    {
      path: '/setting/other',
      title: 'settingsTitle.other',
      access: 'admin',
      section: '/setting',
      load: async () => (await import('./other-page.tsx')).OtherPage,
    },
  ],
}

import { messages } from '../../i18n/types.ts'

export const settingsTitles = messages({
  en: {
    all: 'Settings',
    personal: 'Personal settings',
    operation: 'Operation settings',
    system: 'System settings',
    other: 'Other settings',
  },
  zh: {
    all: '设置',
    personal: '个人设置',
    operation: '运营设置',
    system: '系统设置',
    other: '其他设置',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    settingsTitle: typeof settingsTitles.en
  }
}

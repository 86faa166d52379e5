import { messages } from '../../i18n/types.ts'

export const userTitles = messages({
  en: {
    nav: 'Users',
    list: 'Users',
    add: 'Add user',
    edit: 'Edit user',
    view: 'User',
  },
  zh: {
    nav: '用户',
    list: '用户',
    add: '添加用户',
    edit: '编辑用户',
    view: '用户详情',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    userTitle: typeof userTitles.en
  }
}

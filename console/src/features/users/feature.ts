import type { Feature } from '../../lib/feature.ts'
import { userTitles } from './titles.messages.ts'

export const usersFeature: Feature = {
  name: 'user',
  titles: userTitles,
  messages: async () => (await import('./messages.ts')).userMessages,
  nav: [{ path: '/user', label: 'userTitle.nav', access: 'admin', position: 60 }],
  pages: [
    {
      path: '/user',
      title: 'userTitle.list',
      access: 'admin',
      load: async () => (await import('./users-page.tsx')).UsersPage,
    },
    {
      path: '/user/add',
      title: 'userTitle.add',
      access: 'admin',
      load: async () => (await import('./add-user-page.tsx')).AddUserPage,
    },
    {
      path: '/user/edit/:id',
      title: 'userTitle.edit',
      access: 'admin',
      load: async () => (await import('./edit-user-page.tsx')).EditUserPage,
    },
  ],
}

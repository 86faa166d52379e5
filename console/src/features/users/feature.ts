import type { Feature } from '../../lib/feature.ts'
import { userTitles } from './titles.messages.ts'

export const usersFeature: Feature = {
  name: 'user',
  titles: userTitles,
  messages: () => import('./messages.ts').then((module) => module.userMessages),
  nav: [
    {
      path: '/user',
      key: 'u',
      group: 'demand',
      label: 'userTitle.nav',
      access: 'admin',
      position: 60,
    },
  ],
  pages: [
    {
      path: '/user',
      title: 'userTitle.list',
      access: 'admin',
      load: () => import('./users-page.tsx').then((module) => module.UsersPage),
    },
    {
      path: '/user/add',
      title: 'userTitle.add',
      access: 'admin',
      load: () => import('./add-user-page.tsx').then((module) => module.AddUserPage),
    },
    {
      path: '/user/:id',
      title: 'userTitle.view',
      access: 'admin',
      load: () => import('./user-page.tsx').then((module) => module.UserPage),
    },
    {
      path: '/user/edit/:id',
      title: 'userTitle.edit',
      access: 'admin',
      load: () => import('./edit-user-page.tsx').then((module) => module.EditUserPage),
    },
  ],
}

import type { Feature } from '../../lib/feature.ts'
import { pageRoute } from '../../lib/page-route.tsx'
import { userMessages } from './messages.ts'

export const usersFeature: Feature = {
  name: 'user',
  messages: userMessages,
  nav: [{ path: '/user', label: 'user.nav', access: 'admin', position: 60 }],
  routes: [
    pageRoute('/user', {
      title: 'user.list.title',
      signedIn: true,
      load: async () => (await import('./users-page.tsx')).UsersPage,
    }),
    pageRoute('/user/add', {
      title: 'user.form.addTitle',
      signedIn: true,
      load: async () => (await import('./add-user-page.tsx')).AddUserPage,
    }),
    pageRoute('/user/edit/:id', {
      title: 'user.form.editTitle',
      signedIn: false,
      load: async () => (await import('./edit-user-page.tsx')).EditUserPage,
    }),
  ],
}

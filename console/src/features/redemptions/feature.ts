import type { Feature } from '../../lib/feature.ts'
import { redemptionTitles } from './titles.messages.ts'

const load = () => import('./redemption-form-page.tsx').then((module) => module.RedemptionFormPage)

export const redemptionsFeature: Feature = {
  name: 'redemption',
  titles: redemptionTitles,
  messages: () => import('./messages.ts').then((module) => module.redemptionMessages),
  nav: [
    {
      path: '/redemption',
      key: 'r',
      group: 'demand',
      label: 'redemptionTitle.nav',
      access: 'admin',
      position: 50,
    },
  ],
  pages: [
    {
      path: '/redemption',
      title: 'redemptionTitle.list',
      access: 'admin',
      load: () => import('./redemptions-page.tsx').then((module) => module.RedemptionsPage),
    },
    { path: '/redemption/add', title: 'redemptionTitle.add', access: 'admin', load },
    { path: '/redemption/edit/:id', title: 'redemptionTitle.edit', access: 'admin', load },
  ],
}

import type { Feature } from '../../lib/feature.ts'
import { billTitles } from './titles.messages.ts'

export const billsFeature: Feature = {
  name: 'bill',
  titles: billTitles,
  messages: () => import('./messages.ts').then((module) => module.billMessages),
  nav: [
    {
      path: '/bill',
      key: 'i',
      group: 'supply',
      label: 'billTitle.nav',
      access: 'admin',
      position: 65,
    },
  ],
  pages: [
    {
      path: '/bill',
      title: 'billTitle.nav',
      access: 'admin',
      load: () => import('./bills-page.tsx').then((module) => module.BillsPage),
    },
  ],
}

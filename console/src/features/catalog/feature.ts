import type { Feature } from '../../lib/feature.ts'
import { catalogTitles } from './titles.messages.ts'

export const catalogFeature: Feature = {
  name: 'catalog',
  titles: catalogTitles,
  messages: () => import('./messages.ts').then((module) => module.catalogMessages),
  nav: [
    {
      path: '/catalog',
      key: 'm',
      group: 'supply',
      label: 'catalogTitle.nav',
      access: 'user',
      position: 34,
      publicIf: 'public_catalog',
    },
  ],
  pages: [
    {
      path: '/catalog',
      title: 'catalogTitle.nav',
      access: 'user',
      publicIf: 'public_catalog',
      load: () => import('./catalog-page.tsx').then((module) => module.CatalogPage),
    },
  ],
}

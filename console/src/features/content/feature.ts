import type { Feature } from '../../lib/feature.ts'
import { contentTitles } from './titles.messages.ts'

const load = () => import('./content-page.tsx').then((module) => module.ContentPage)
const access = 'public'

export const contentFeature: Feature = {
  name: 'content',
  titles: contentTitles,
  messages: () => import('./messages.ts').then((module) => module.contentMessages),
  nav: [
    {
      path: '/pricing',
      group: 'help',
      label: 'contentTitle.pricing',
      access,
      position: 20,
      link: 'pricing',
    },
    {
      path: '/docs',
      group: 'help',
      label: 'contentTitle.docs',
      access,
      position: 25,
      link: 'docs',
    },
    {
      path: '/cheap',
      group: 'help',
      label: 'contentTitle.cheap',
      access,
      position: 27,
      link: 'cheap',
    },
    {
      path: '/chat',
      group: 'help',
      label: 'contentTitle.chat',
      access,
      position: 30,
      link: 'chat',
    },
  ],
  pages: [
    { path: '/pricing', title: 'contentTitle.pricing', access, load },
    { path: '/docs', title: 'contentTitle.docs', access, load },
    { path: '/chat', title: 'contentTitle.chat', access, load },
    { path: '/cheap', title: 'contentTitle.cheap', access, load },
    { path: '/terms', title: 'contentTitle.terms', access, load },
    { path: '/about', title: 'contentTitle.about', access, load },
  ],
}

import type { Feature } from '../../lib/feature.ts'
import { channelTitles } from './titles.messages.ts'

const load = () => import('./channel-form-page.tsx').then((module) => module.ChannelFormPage)

export const channelsFeature: Feature = {
  name: 'channel',
  titles: channelTitles,
  messages: () => import('./messages.ts').then((module) => module.channelMessages),
  nav: [
    {
      path: '/channel',
      key: 'c',
      group: 'supply',
      label: 'channelTitle.nav',
      access: 'admin',
      position: 10,
    },
  ],
  pages: [
    {
      path: '/channel',
      title: 'channelTitle.list',
      access: 'admin',
      load: () => import('./channels-page.tsx').then((module) => module.ChannelsPage),
    },
    { path: '/channel/add', title: 'channelTitle.add', access: 'admin', load },
    {
      path: '/channel/:id',
      title: 'channelTitle.view',
      access: 'admin',
      load: () => import('./channel-page.tsx').then((module) => module.ChannelPage),
    },
    { path: '/channel/edit/:id', title: 'channelTitle.edit', access: 'admin', load },
  ],
}

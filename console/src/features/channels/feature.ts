import type { Feature } from '../../lib/feature.ts'
import { channelTitles } from './titles.messages.ts'

const load = async () => (await import('./channel-form-page.tsx')).ChannelFormPage

export const channelsFeature: Feature = {
  name: 'channel',
  titles: channelTitles,
  messages: async () => (await import('./messages.ts')).channelMessages,
  nav: [{ path: '/channel', label: 'channelTitle.nav', access: 'admin', position: 10 }],
  pages: [
    {
      path: '/channel',
      title: 'channelTitle.list',
      access: 'admin',
      load: async () => (await import('./channels-page.tsx')).ChannelsPage,
    },
    { path: '/channel/add', title: 'channelTitle.add', access: 'admin', load },
    { path: '/channel/edit/:id', title: 'channelTitle.edit', access: 'admin', load },
  ],
}

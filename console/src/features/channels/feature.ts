import type { Feature } from '../../lib/feature.ts'
import { pageRoute } from '../../lib/page-route.tsx'
import { channelMessages } from './messages.ts'

const load = async () => (await import('./channel-form-page.tsx')).ChannelFormPage

export const channelsFeature: Feature = {
  name: 'channel',
  messages: channelMessages,
  nav: [{ path: '/channel', label: 'channel.nav', access: 'admin', position: 10 }],
  routes: [
    pageRoute('/channel', {
      title: 'channel.list.title',
      signedIn: true,
      load: async () => (await import('./channels-page.tsx')).ChannelsPage,
    }),
    pageRoute('/channel/add', { title: 'channel.form.addTitle', signedIn: true, load }),
    pageRoute('/channel/edit/:id', { title: 'channel.form.editTitle', signedIn: true, load }),
  ],
}

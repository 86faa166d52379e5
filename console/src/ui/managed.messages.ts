import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const managedMessages = messages({
  en: {
    locked: 'Managed by {{file}}. To make a change, edit the file and apply it.',
    open: 'Managed by {{file}}. The next apply undoes changes made here.',
    lockedSome: 'Managed by {{file}}: {{names}}. To change these, edit the file and apply it.',
    openSome: 'Managed by {{file}}: {{names}}. The next apply undoes changes to these.',
    short: 'Managed by a configuration file.',
    more: '{{names}} and {{count}} more',
  },
  zh: {
    locked: '由配置文件 {{file}} 管理，请修改该文件后重新应用。',
    open: '由配置文件 {{file}} 管理，下次应用时会覆盖此处的修改。',
    lockedSome: '由配置文件 {{file}} 管理：{{names}}。请修改该文件后重新应用。',
    openSome: '由配置文件 {{file}} 管理：{{names}}。下次应用时会覆盖对其的修改。',
    short: '由配置文件管理。',
    more: '{{names}} 以及另外 {{count}} 项',
  },
})

addTexts('managed', managedMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    managed: typeof managedMessages.en
  }
}

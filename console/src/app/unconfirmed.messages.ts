import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const unconfirmedMessages = messages({
  en: {
    notice: {
      title: 'Changed settings need your confirmation',
      text_one:
        '{{who}} changed a setting that decides who gets into accounts. Until you confirm it, administrators cannot log in or reset a password through it.',
      text_other:
        '{{who}} changed {{count}} settings that decide who gets into accounts. Until you confirm them, administrators cannot log in or reset a password through them.',
      open_one: 'Review the change',
      open_other: 'Review {{count}} changes',
    },
    dialog: {
      title: 'Confirm changed settings',
      hint: 'Confirm only servers, keys and addresses that you know to be yours. To undo a change, open the setting and restore the previous value.',
      before: 'Before',
      after: 'Now',
      changed: 'Changed by',
      secretSet: 'A new value was entered. It is never shown.',
      secretRemoved: 'The value was removed.',
      empty: 'empty',
      on: 'on',
      off: 'off',
      open: 'Open the setting',
      confirm_one: 'Confirm {{count}} change',
      confirm_other: 'Confirm {{count}} changes',
      done_one: '{{count}} change confirmed.',
      done_other: '{{count}} changes confirmed.',
    },
  },
  zh: {
    notice: {
      title: '有设置修改等待你确认',
      text_one:
        '{{who}} 修改了 {{count}} 项决定账户登录的设置。在你确认之前，管理员不能通过相关方式登录或重置密码。',
      text_other:
        '{{who}} 修改了 {{count}} 项决定账户登录的设置。在你确认之前，管理员不能通过相关方式登录或重置密码。',
      open_one: '核对 {{count}} 项修改',
      open_other: '核对 {{count}} 项修改',
    },
    dialog: {
      title: '确认设置修改',
      hint: '请仅在其中的服务器、密钥和地址确属于你时确认。如需撤销，请打开该设置并填回原来的值。',
      before: '修改前',
      after: '当前值',
      changed: '修改人',
      secretSet: '已填写新值，不予显示。',
      secretRemoved: '已清除。',
      empty: '空',
      on: '开启',
      off: '关闭',
      open: '打开该设置',
      confirm_one: '确认 {{count}} 项修改',
      confirm_other: '确认 {{count}} 项修改',
      done_one: '已确认 {{count}} 项修改。',
      done_other: '已确认 {{count}} 项修改。',
    },
  },
})

// Rarely needed, and only by the super administrator.
addTexts('unconfirmed', unconfirmedMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    unconfirmed: typeof unconfirmedMessages.en
  }
}

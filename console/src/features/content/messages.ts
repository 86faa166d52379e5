import { messages } from '../../i18n/types.ts'

export const contentMessages = messages({
  en: {
    page: {
      open: 'Open in a new tab',
      unset: 'The operator of this site has not set up this page yet.',
      unsetAbout: 'The operator of this site has not written anything here yet.',
      setChat: 'Set its address under Settings → Operation settings → Chat link.',
      setLink: 'Set its address under Settings → Other settings → Links, with the name {{name}}.',
      setAbout: 'Write it under Settings → Other settings → About.',
      settings: 'Go to settings',
      home: 'Go to home page',
    },
  },
  zh: {
    page: {
      open: '在新标签页打开',
      unset: '站长尚未设置此页面。',
      unsetAbout: '站长尚未填写此页内容。',
      setChat: '请在“设置 → 运营设置 → 聊天页面链接”中填写地址。',
      setLink: '请在“设置 → 其他设置 → 链接”中填写地址，名称为 {{name}}。',
      setAbout: '请在“设置 → 其他设置 → 关于”中填写内容。',
      settings: '前往设置',
      home: '回到首页',
    },
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    content: typeof contentMessages.en
  }
}

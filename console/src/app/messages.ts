import { messages } from '../i18n/types.ts'

export const appMessages = messages({
  en: {
    notFound: {
      title: 'Page does not exist',
      body: 'Check that the address in your browser is correct.',
      home: 'Go to home page',
    },
    notAllowed: {
      title: 'Administrators only',
      body: 'Your role does not allow this.',
    },
    error: {
      heading: 'Unexpected Application Error!',
      title: 'Error',
      hint: 'Reloading the page often helps. If it does not, send this message to the administrator.',
      reload: 'Reload',
    },
  },
  zh: {
    notFound: {
      title: '页面不存在',
      body: '请检查浏览器中的地址是否正确。',
      home: '回到首页',
    },
    notAllowed: {
      title: '仅限管理员',
      body: '无权进行此操作，权限不足。',
    },
    error: {
      heading: 'Unexpected Application Error!',
      title: '错误',
      hint: '页面出现意外错误，重新加载往往可以解决。如果不行，请将此处内容告知管理员。',
      reload: '重新加载',
    },
  },
})

declare module '../i18n/types.ts' {
  interface MessageTree {
    app: typeof appMessages.en
  }
}

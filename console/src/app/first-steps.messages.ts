import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const stepsMessages = messages({
  en: {
    list: {
      title: 'First steps',
      channel: 'Add a channel',
      test: 'Test it',
      token: 'Create a token',
      call: 'Make the first call',
      done: 'done',
      open: 'to do',
      hide: 'Hide the first steps',
    },
  },
  zh: {
    list: {
      title: '快速开始',
      channel: '添加渠道',
      test: '测试渠道',
      token: '创建令牌',
      call: '发起第一次调用',
      done: '已完成',
      open: '待完成',
      hide: '隐藏快速开始',
    },
  },
})

// Few users see the first steps, so these texts are not in the initial bundle.
addTexts('steps', stepsMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    steps: typeof stepsMessages.en
  }
}

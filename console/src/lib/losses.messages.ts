import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const lossMessages = messages({
  en: {
    title: 'Sell below cost?',
    line: '{{model}} for group {{group}} on channel {{channel}}: {{part}} is sold at {{price}} and costs {{cost}}.',
    part: {
      input: 'a million input tokens',
      cached: 'a million cached tokens',
      output: 'a million output tokens',
      call: 'a call',
    },
    more_one: 'And one more.',
    more_other: 'And {{count}} more.',
    verb: 'Save anyway',
  },
  zh: {
    title: '售价低于成本，仍要保存吗？',
    line: '渠道 {{channel}} 的模型 {{model}}（分组 {{group}}）：{{part}}售价 {{price}}，成本 {{cost}}。',
    part: {
      input: '每百万输入 token ',
      cached: '每百万缓存输入 token ',
      output: '每百万输出 token ',
      call: '每次调用',
    },
    more_one: '另有 1 项。',
    more_other: '另有 {{count}} 项。',
    verb: '仍然保存',
  },
})

addTexts('loss', lossMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    loss: typeof lossMessages.en
  }
}

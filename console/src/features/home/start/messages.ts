import { addTexts } from '../../../i18n/texts.ts'
import { messages } from '../../../i18n/types.ts'

const startMessages = messages({
  en: {
    panel: {
      title: 'Get your first answer',
      progress: '{{done}} of {{all}} done',
      hide: 'Hide these steps',
      done: 'done',
      open: 'to do',
    },
    connect: {
      title: 'Connect a provider',
      provider: 'Provider',
      key: 'API key',
      keyHint: 'Stored encrypted. Its models are fetched and tested at once.',
      baseUrl: 'Base URL',
      baseUrlHint: 'For example https://api.example.com.',
      submit: 'Connect',
      missing: 'Enter a value.',
      connected_one: '{{name}}, {{count}} model',
      connected_other: '{{name}}, {{count}} models',
    },
    check: {
      title: 'Check it',
      run: 'Test',
      answered: 'Answered in {{time}}.',
      edit: 'Edit channel',
    },
    ask: {
      title: 'Try it here',
      model: 'Model',
      message: 'Message',
      hello: 'Say hello in five languages.',
      send: 'Send',
      token: 'Playground',
      noModel: 'The channel serves no chat model.',
      empty: 'The answer has no text.',
    },
    next: {
      title: 'Give somebody access',
      token: 'Create a token',
      user: 'Add a user',
      play: 'Open the playground',
    },
  },
  zh: {
    panel: {
      title: '获得第一个回答',
      progress: '已完成 {{done}} / {{all}}',
      hide: '隐藏这些步骤',
      done: '已完成',
      open: '待完成',
    },
    connect: {
      title: '接入服务商',
      provider: '服务商',
      key: 'API 密钥',
      keyHint: '密钥加密保存，随后自动获取模型并测试。',
      baseUrl: '接口地址',
      baseUrlHint: '例如 https://api.example.com。',
      submit: '接入',
      missing: '请填写此项。',
      connected_one: '{{name}}，{{count}} 个模型',
      connected_other: '{{name}}，{{count}} 个模型',
    },
    check: {
      title: '测试渠道',
      run: '测试',
      answered: '已应答，用时 {{time}}。',
      edit: '编辑渠道',
    },
    ask: {
      title: '在此试用',
      model: '模型',
      message: '消息',
      hello: '用五种语言问好。',
      send: '发送',
      token: '试用',
      noModel: '该渠道不提供对话模型。',
      empty: '回答没有文本。',
    },
    next: {
      title: '开放给他人使用',
      token: '创建令牌',
      user: '添加用户',
      play: '打开试用页面',
    },
  },
})

// Shown until the first request only, so these texts load with the steps.
addTexts('start', startMessages)

declare module '../../../i18n/types.ts' {
  interface MessageTree {
    start: typeof startMessages.en
  }
}

import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

const advancedMessages = messages({
  en: {
    field: {
      hint: 'Headers, parameters, APIs, model facts and prices that differ for this channel.',
      documentation: 'Documentation of these settings',
      headers: 'Headers',
      headersHint:
        'Sent with every request of this channel. Values count as secrets: they are stored and never shown again.',
      name: 'Name',
      value: 'Value',
      headerName: 'Header {{number}}: name',
      headerValue: 'Header {{number}}: value',
      addHeader: 'Add a header',
      removeHeader: 'Remove header {{number}}',
      headerValueMissing: 'Enter the value.',
      headerTwice: 'This header is listed twice.',
      headerAgain: 'The address has changed. Enter the value again.',
      set: 'Parameters to set',
      setHint: 'JSON: name → value. A dot leads into an object. Replaces what the client sends.',
      remove: 'Parameters to remove',
      removeHint:
        'Names, with dots into objects. Clients may send them; the provider does not get them.',
      apis: 'APIs of the address',
      apisHint: 'What the server offers for text. If none is chosen, the gateway decides.',
      chat: 'Chat Completions',
      responses: 'Responses',
      card: 'Model facts',
      cardHint:
        'JSON: model name at the provider, with * for any characters → facts that replace the known ones. Sections: limits, reasoning, reasoningBack, sampling, tools, content.',
      cost: 'Cost at the provider',
      costHint:
        'JSON. factor: times the list price; group_ratio: ratio of your group at a gateway; models: dollars per million tokens (input, output, cached, cache_write) and per call; reported: true, if the provider reports costs. Empty: the list price.',
      notJson: 'Must be a JSON object.',
      ruleBroken: 'Not valid.',
      parametersUnsupported: 'Channels of this type cannot change parameters.',
    },
  },
  zh: {
    field: {
      hint: '仅对此渠道生效的请求头、请求参数、API、模型信息和成本价。',
      documentation: '查看这些设置的文档',
      headers: '请求头',
      headersHint: '附加到此渠道的每个请求。请求头的值视为机密，保存后不再显示。',
      name: '名称',
      value: '值',
      headerName: '第 {{number}} 个请求头：名称',
      headerValue: '第 {{number}} 个请求头：值',
      addHeader: '添加请求头',
      removeHeader: '移除第 {{number}} 个请求头',
      headerValueMissing: '请填写值。',
      headerTwice: '此请求头重复了。',
      headerAgain: '接口地址已更改，请重新填写此值。',
      set: '要设置的参数',
      setHint: 'JSON 格式：参数名 → 值，用点表示下级参数。会覆盖客户端发送的值。',
      remove: '要移除的参数',
      removeHint: '参数名，用点表示下级参数。客户端仍可发送，但不会转发给服务商。',
      apis: '该地址提供的 API',
      apisHint: '服务器支持的文本接口；不选则由网关判断。',
      chat: 'Chat Completions',
      responses: 'Responses',
      card: '模型信息',
      cardHint:
        'JSON 格式：服务商处的模型名（* 代表任意字符）→ 用于替换已知信息的内容。可用分组：limits、reasoning、reasoningBack、sampling、tools、content。',
      cost: '服务商成本',
      costHint:
        'JSON 格式。factor：牌价的倍数；group_ratio：上游网关中你所在分组的倍率；models：各模型每百万 token 的美元价格（input、output、cached、cache_write）及每次调用价格 call；reported：true 表示采用服务商返回的费用。留空即按牌价。',
      notJson: '必须是 JSON 对象。',
      ruleBroken: '内容无效。',
      parametersUnsupported: '该类型的渠道不支持更改参数。',
    },
  },
})

addTexts('advanced', advancedMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    advanced: typeof advancedMessages.en
  }
}

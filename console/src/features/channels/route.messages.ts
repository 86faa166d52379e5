import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

const routeMessages = messages({
  en: {
    model: 'Model',
    group: 'Group',
    hint: 'Shows how requests would be routed now. Nothing is sent.',
    show: 'Show',
    order: 'Order',
    channel: 'Channel',
    chance: 'First choice',
    nobody: 'No channel serves {{model}} to this group.',
    place: 'priority {{priority}}, weight {{weight}}',
    as: 'as {{model}}',
    success: '{{share}} of recent requests succeeded',
    firstToken: 'first token usually within {{time}}',
    sessions_one: 'one session stays here for its cached prompt',
    sessions_other: '{{count}} sessions stay here for their cached prompts',
    weightZero: 'only if no other channel of its priority is left',
    cooling: 'cooling down after failures: only if no other channel is left',
    readyIn: 'back in {{time}}',
    probing: 'a request is probing whether it has recovered',
    leftAlone: 'provider asked for a longer wait than requests take',
    noTriesLeft: 'not reached: retry limit is lower',
    typeUnserved: 'this channel type is not supported',
    keyUnreadable: 'its key cannot be decrypted with the SECRET_KEY of this server',
    priceUnset: 'the model has no price, and unpriced models are rejected',
    atLoss: 'costs more than the group pays, and routing at a loss is off',
    others_one: 'One channel does not serve this model',
    others_other: '{{count}} channels do not serve this model',
    groupNotServed: 'serves this model to other groups',
  },
  zh: {
    model: '模型',
    group: '分组',
    hint: '不会发送请求，仅显示此刻请求会依次使用哪些渠道。',
    show: '查看',
    order: '顺序',
    channel: '渠道',
    chance: '首选概率',
    nobody: '没有渠道向该分组提供 {{model}}。',
    place: '优先级 {{priority}}，权重 {{weight}}',
    as: '映射为 {{model}}',
    success: '最近请求的成功率为 {{share}}',
    firstToken: '首个 token 通常在 {{time}} 内返回',
    sessions_one: '{{count}} 个会话为命中缓存固定在此渠道',
    sessions_other: '{{count}} 个会话为命中缓存固定在此渠道',
    weightZero: '仅在同优先级没有其他渠道可用时使用',
    cooling: '因失败冷却中：仅在没有其他渠道时使用',
    readyIn: '{{time}} 后恢复',
    probing: '正由一个请求探测是否恢复',
    leftAlone: '上游要求的等待时间超出单个请求的等待上限',
    noTriesLeft: '轮到它之前，设置允许的重试次数已用完',
    typeUnserved: '暂不支持该类型渠道的请求',
    keyUnreadable: '该渠道的密钥无法用本服务器的 SECRET_KEY 解密',
    priceUnset: '该模型未设置价格，且未定价的模型会被拒绝',
    atLoss: '成本高于该分组的售价，且已设置不向亏本的渠道转发',
    others_one: '{{count}} 个渠道不提供该模型',
    others_other: '{{count}} 个渠道不提供该模型',
    groupNotServed: '仅向其他分组提供该模型',
  },
})

addTexts('route', routeMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    route: typeof routeMessages.en
  }
}

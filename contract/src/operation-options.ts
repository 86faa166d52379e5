import { z } from 'zod'
import { groupName } from './group-name.ts'
import { option } from './option-row.ts'
import { rule } from './problem.ts'
import { exactRatio, quota } from './units.ts'
import { publicAddress } from './web-address.ts'

const ratios = z.record(z.string().min(1).max(200), exactRatio)

/** The largest ratio of a thousand tokens at a usual `QuotaPerUnit`. */
const CALL_DOLLARS_MAX = 1000

const callPrices = z.record(z.string().min(1).max(200), exactRatio.max(CALL_DOLLARS_MAX))

const groupRatios = z
  .record(groupName, exactRatio)
  .refine(
    (table) => Object.keys(table).length > 0,
    rule('must have at least one group', '至少需要一个分组'),
  )

const timeZone = z
  .string()
  .trim()
  .max(64)
  .refine(
    (name) => name === '' || isTimeZone(name),
    rule(
      'must be the IANA name of a time zone, such as Asia/Shanghai',
      '必须是 IANA 时区名称，例如 Asia/Shanghai',
    ),
  )

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

const percent = z.number().min(0).max(100)
const ALERT_AMOUNT_MAX = 1_000_000_000

/** Limit per caller or per group; 0 or a group without an entry means unlimited. */
const limit = z.int().min(0).max(1_000_000_000)
const groupLimits = z.record(groupName, limit)

export const OPERATION_OPTIONS = {
  DisplayInCurrencyEnabled: option(z.boolean(), true, 'general', {
    label: { en: 'Show quota in dollars', zh: '以货币形式显示额度' },
    public: 'display_in_currency',
  }),
  DisplayTokenStatEnabled: option(z.boolean(), true, 'general', {
    label: {
      en: "Billing API shows the token's quota, not the user's",
      zh: '计费接口显示令牌额度（而非用户额度）',
    },
  }),
  ApproximateTokenEnabled: option(z.boolean(), false, 'general', {
    label: { en: 'Estimate token counts', zh: '使用近似的方式估算 token 数' },
  }),
  UnpricedFeaturesEnabled: option(z.boolean(), false, 'general', {
    label: {
      en: 'Allow provider extras without a price, free of charge',
      zh: '允许使用未定价的服务商附加功能（如联网搜索、高速模式），不向用户收费',
    },
  }),
  CostReportEnabled: option(z.boolean(), false, 'general', {
    label: { en: 'Tell callers what a request cost', zh: '在响应中告知调用方费用' },
    hint: {
      en: "The charge in dollars: 'usage.cost', and the header x-tollgate-cost of responses that are not streamed.",
      zh: '以美元表示的实际扣费：写入 usage.cost；非流式响应另有响应头 x-tollgate-cost。',
    },
  }),
  StreamRescueEnabled: option(z.boolean(), true, 'general', {
    label: { en: 'Resume broken streams on another channel', zh: '流式响应中断时由其他渠道续写' },
    hint: {
      en: 'If a plain-text stream breaks, another channel continues it seamlessly.',
      zh: '纯文本的流式响应中途停止时，从停止处继续输出，客户端仍得到一个完整的响应。',
    },
  }),
  SessionAffinityEnabled: option(z.boolean(), true, 'general', {
    label: {
      en: 'Keep a session on one channel and key',
      zh: '同一会话固定使用一个渠道和密钥',
    },
    hint: {
      en: "The provider then finds the session's prompt in its cache. Priorities, cooldowns and limits come first.",
      zh: '便于服务商命中提示词缓存。优先级、冷却和限流优先于会话固定。',
    },
  }),
  ResponseStoreHours: option(z.int().min(0).max(720), 24, 'general', {
    label: {
      en: 'Keep responses for (hours, 0 = do not keep)',
      zh: 'Responses API 响应保留时长（小时，0 为不保存）',
    },
    hint: {
      en: "Clients of the Responses API continue a conversation by 'previous_response_id' and refer to earlier items by id. What they need for it is stored encrypted, unless a request has 'store': false. With 0 nothing is kept.",
      zh: '客户端通过 previous_response_id 延续对话，或按 ID 引用先前的条目；所需内容加密存储，请求带 store: false 时不保存。设为 0 则一概不保存。',
    },
  }),
  ResponsesSocketEnabled: option(z.boolean(), false, 'general', {
    label: { en: 'Responses API over WebSocket', zh: '支持通过 WebSocket 调用 Responses API' },
    hint: {
      en: 'Every proxy in front must pass upgrades on. If off, Codex falls back to HTTP at once.',
      zh: '前置代理均须支持 WebSocket 升级。关闭时 Codex 会立即改用 HTTP。',
    },
  }),
  DrainEnabled: option(z.boolean(), true, 'general', {
    label: { en: 'Keep reading after client disconnects', zh: '客户端断开后继续读取上游' },
    hint: {
      en: 'Reads the response to its end and charges the usage that the provider reports, for at most 10 min (30 s for streams with visible output). If off, the provider request is aborted at once: visible output is charged as it is, the rest by an estimate. The provider may still finish and bill a response that is not streamed.',
      zh: '继续读取至响应结束，按服务商报告的真实用量计费，最长 10 分钟（输出可见的流式响应为 30 秒）。关闭后立即中止上游，可见的输出按实际计费，其余按估算计费；对于非流式响应，服务商仍可能生成完毕并计费。',
    },
  }),
  ExactTokenBytes: option(z.int().min(0).max(1_048_576), 131_072, 'general', {
    label: { en: 'Exact token counting up to (bytes)', zh: '精确计算 token 数的文本上限（字节）' },
    hint: {
      en: 'Used when a provider reports no usage. Text beyond this size is estimated, and the receipt says so.',
      zh: '服务商未报告用量时使用，超出部分按大小估算，并在账单明细中注明。',
    },
  }),
  TopUpLink: option(publicAddress, '', 'general', {
    label: { en: 'Top-up link', zh: '充值链接' },
    hint: { en: 'Address of your shop, opened by "Top up".', zh: '“充值”指向的商店地址。' },
    public: 'top_up_link',
  }),
  ChatLink: option(publicAddress, '', 'general', {
    label: { en: 'Chat link', zh: '聊天页面链接' },
    hint: {
      en: 'A chat client, embedded under "Chat".',
      zh: '聊天客户端的页面，在“聊天”中内嵌显示。',
    },
    public: 'chat_link',
  }),
  PublicCatalogEnabled: option(z.boolean(), false, 'general', {
    label: { en: 'Public model catalog', zh: '公开模型目录' },
    hint: {
      en: 'Visitors see the models of the group "default" at /catalog, with prices and success rates.',
      zh: '访客可在 /catalog 查看 default 分组的模型、价格与成功率。',
    },
    public: 'public_catalog',
  }),
  PublicStatusEnabled: option(z.boolean(), false, 'general', {
    label: { en: 'Public status page', zh: '公开状态页' },
    hint: {
      en: 'Visitors see at /system-status whether the models of the group "default" answer, now and in the last 90 days.',
      zh: '访客可在 /system-status 查看 default 分组各模型当前及近 90 天的可用情况。',
    },
    public: 'public_status',
  }),
  QuotaPerUnit: option(z.number().min(0.01).max(1_000_000_000), 500_000, 'general', {
    label: { en: 'Quota per US dollar', zh: '每美元对应额度' },
    hint: { en: 'How many units of quota equal one US dollar.', zh: '一美元等于多少额度。' },
    public: 'quota_per_unit',
  }),
  TimeZone: option(timeZone, '', 'general', {
    label: { en: 'Time zone of days', zh: '统计与预算时区' },
    hint: {
      en: "An IANA name such as Asia/Shanghai. Days of budgets and statistics begin at its midnight. If empty, budgets use UTC and statistics the browser's zone. A change begins new budget periods.",
      zh: 'IANA 名称，例如 Asia/Shanghai。令牌的周期预算和统计的“天”以该时区的零点为界。留空时预算按 UTC，统计按浏览器所在时区。修改后预算周期重新开始。',
    },
    public: 'time_zone',
  }),
  RetryTimes: option(z.int().min(0).max(10), 3, 'general', {
    label: { en: 'Retries after a failure', zh: '失败重试次数' },
    hint: {
      en: 'On another channel, or once more on the same one, as long as nothing has been sent to the client.',
      zh: '尚未向客户端发送内容时，换用其他渠道重试，或在原渠道再试一次。',
    },
  }),
  NeverSellAtLoss: option(z.boolean(), false, 'general', {
    label: { en: 'Never route at a loss', zh: '不向亏本的渠道转发' },
    hint: {
      en: 'Skips channels where input, cached input or output costs more than the group pays.',
      zh: '跳过输入、缓存输入或输出的成本高于该分组售价的渠道。',
    },
  }),
  CheapestChannelFirst: option(z.boolean(), false, 'general', {
    label: { en: 'Cheapest channel first', zh: '优先使用成本最低的渠道' },
    hint: {
      en: 'Among ready channels of the same priority. Weights decide between equal costs.',
      zh: '在优先级相同的可用渠道中，先用成本最低的；成本相同时按权重选择。',
    },
  }),
  UnknownModelStatus: option(z.literal([503, 404]), 503, 'general', {
    label: {
      en: "Status of unknown models in OpenAI's API",
      zh: 'OpenAI 接口中模型不存在时的状态码',
    },
    hint: {
      en: 'Agents repeat a request after 503 and stop at 404. Other APIs always answer 404.',
      zh: '收到 503 时智能体会反复重试，收到 404 则停止。其他接口始终返回 404。',
    },
    editor: 'choice',
  }),
  EmptyAnswers: option(z.literal(['charge', 'free', 'retry']), 'charge', 'general', {
    label: { en: 'Empty answers', zh: '空回答的处理方式' },
    hint: {
      en: 'What happens to an answer that ends regularly without any output token: charge its prompt, charge nothing, or try another channel and charge nothing for it.',
      zh: '对于正常结束但没有任何输出 token 的回答：照常收取提示费用、不收费，或换用其他渠道重试且不收费。',
    },
    editor: 'choice',
  }),
  HedgeAfterSeconds: option(z.number().min(0).max(600), 10, 'general', {
    label: { en: 'Hedge after (seconds, 0 = off)', zh: '对冲请求等待时间（秒，0 为关闭）' },
    hint: {
      en: 'If a channel has sent nothing by then, another channel is asked too. The first to respond answers the client, and only that response is charged. Channels that are usually slow get more time.',
      zh: '渠道超过该时间仍无响应时，同时请求另一渠道。先响应的渠道为客户端作答，只对该响应计费。平时较慢的渠道会等待更久。',
    },
  }),
  LogConsumeEnabled: option(z.boolean(), true, 'log', {
    label: { en: 'Log charged requests', zh: '启用额度消费日志' },
  }),
  LogErrorEnabled: option(z.boolean(), true, 'log', {
    label: { en: 'Log failed requests', zh: '记录失败请求' },
  }),
  LogRetentionDays: option(z.int().min(0).max(3650), 0, 'log', {
    label: { en: 'Keep log entries for (days, 0 = forever)', zh: '日志保留时长（天，0 为永久）' },
  }),
  AutomaticDisableChannelEnabled: option(z.boolean(), true, 'monitoring', {
    label: {
      en: 'Disable channels whose key or account is rejected',
      zh: '密钥或账户失效时自动禁用渠道',
    },
  }),
  AutomaticEnableChannelEnabled: option(z.boolean(), true, 'monitoring', {
    label: {
      en: 'Enable automatically disabled channels once a test passes',
      zh: '测试成功时自动启用被自动禁用的渠道',
    },
  }),
  ChannelDisableThreshold: option(z.number().min(0).max(3600), 5, 'monitoring', {
    label: {
      en: 'Disable channel if a test takes longer than (s, 0 = never)',
      zh: '测试超过此时间则禁用渠道（秒，0 表示不限）',
    },
  }),
  QuotaRemindThreshold: option(quota, 1000, 'monitoring', {
    label: { en: 'Low-balance email below', zh: '额度提醒阈值' },
    hint: {
      en: 'A user whose balance falls below it gets one email.',
      zh: '用户余额低于此额度时，发送一封邮件提醒。',
    },
    editor: 'quota',
  }),
  AlertErrorPercent: option(percent, 0, 'alerts', {
    label: { en: 'Failed requests above (%)', zh: '请求失败率高于（%）' },
    hint: {
      en: 'Counts from 50 requests, since the beginning of the last hour.',
      zh: '自上一小时起至少 50 个请求时计算。',
    },
  }),
  AlertChannelErrorPercent: option(percent, 0, 'alerts', {
    label: { en: 'Failed requests of a channel above (%)', zh: '单个渠道失败率高于（%）' },
    hint: {
      en: 'Counts from 20 requests, since the beginning of the last hour. Requests that another channel took over count as failed.',
      zh: '自上一小时起至少 20 个请求时计算，包括转由其他渠道完成的请求。',
    },
  }),
  AlertSpendDollars: option(z.number().min(0).max(ALERT_AMOUNT_MAX), 0, 'alerts', {
    label: { en: 'Charges of a day above (dollars)', zh: '当日消费高于（美元）' },
  }),
  AlertBalanceBelow: option(z.number().min(0).max(ALERT_AMOUNT_MAX), 0, 'alerts', {
    label: { en: 'Balance at a provider below', zh: '服务商余额低于' },
    hint: {
      en: 'In the currency of the provider, as the channel list shows it.',
      zh: '以服务商的货币计，与渠道列表中显示的一致。',
    },
  }),
  QuotaForNewUser: option(quota, 0, 'quota', {
    label: { en: 'Quota for new users', zh: '新用户初始额度' },
    editor: 'quota',
  }),
  QuotaForInviter: option(quota, 0, 'quota', {
    label: { en: 'Bonus for inviting a user', zh: '邀请新用户奖励额度' },
    editor: 'quota',
  }),
  QuotaForInvitee: option(quota, 0, 'quota', {
    label: { en: 'Bonus for invited users', zh: '新用户使用邀请码奖励额度' },
    editor: 'quota',
  }),
  GiftRequiresPaidHistory: option(z.boolean(), false, 'quota', {
    label: {
      en: 'Accept gift codes only from users who have topped up',
      zh: '礼品码的主人必须曾经充值，礼品码才有效',
    },
  }),
  GiftAccountAgeDays: option(z.int().min(0).max(3650), 0, 'quota', {
    label: {
      en: 'Account age for invitation and gift code bonuses (days, 0 = any)',
      zh: '账户注册满多少天后才能获得邀请奖励或使用礼品码（0 表示不限）',
    },
  }),
  PreConsumedQuota: option(z.int().min(0).max(10_000_000), 500, 'quota', {
    label: { en: 'Extra tokens reserved per request', zh: '每个请求额外预扣的 token 数' },
    hint: {
      en: 'Reserved only if they cost at most 1 % of the balance.',
      zh: '仅当其费用不超过余额的 1 % 时预扣。',
    },
  }),
  DefaultMaxTokens: option(z.int().min(256).max(1_000_000), 131_072, 'quota', {
    label: {
      en: 'Output tokens reserved when no limit is known',
      zh: '请求未指定上限且模型上限未知时预扣的输出 token 数',
    },
    hint: {
      en: 'Applies if neither the request nor the model has an output limit. Unused tokens are released when the response ends.',
      zh: '仅在响应结束前预扣，未使用的部分会退回。',
    },
  }),
  StreamHoldTokens: option(z.int().min(256).max(1_000_000), 4096, 'quota', {
    label: { en: 'Output tokens reserved ahead of a stream', zh: '流式输出提前预扣的 token 数' },
    hint: {
      en: 'The reservation grows with the output. A stream ends when the balance cannot cover more.',
      zh: '随着输出逐步追加预扣，余额不足以追加时，流式响应就此结束。',
    },
  }),
  UserRequestsPerMinute: option(limit, 0, 'limits', {
    label: { en: 'Requests per minute per user', zh: '每个用户每分钟请求数' },
  }),
  UserTokensPerMinute: option(limit, 0, 'limits', {
    label: { en: 'Tokens per minute per user', zh: '每个用户每分钟 token 数' },
  }),
  UserConcurrentRequests: option(limit, 0, 'limits', {
    label: { en: 'Concurrent requests per user', zh: '每个用户并发请求数' },
  }),
  TokenRequestsPerMinute: option(limit, 0, 'limits', {
    label: { en: 'Requests per minute per API token', zh: '每个令牌每分钟请求数' },
  }),
  TokenTokensPerMinute: option(limit, 0, 'limits', {
    label: { en: 'Tokens per minute per API token', zh: '每个令牌每分钟 token 数' },
  }),
  TokenConcurrentRequests: option(limit, 0, 'limits', {
    label: { en: 'Concurrent requests per API token', zh: '每个令牌并发请求数' },
  }),
  GroupRequestsPerMinute: option(groupLimits, {}, 'limits', {
    label: { en: 'Requests per minute per group', zh: '整个分组每分钟请求数' },
    editor: 'group_limits',
  }),
  GroupTokensPerMinute: option(groupLimits, {}, 'limits', {
    label: { en: 'Tokens per minute per group', zh: '整个分组每分钟 token 数' },
    editor: 'group_limits',
  }),
  GroupConcurrentRequests: option(groupLimits, {}, 'limits', {
    label: { en: 'Concurrent requests per group', zh: '整个分组并发请求数' },
    editor: 'group_limits',
  }),
  /** Null rejects models without a price. */
  DefaultModelRatio: option(exactRatio.nullable(), 30, 'ratio', {
    label: { en: 'Default ratio for unpriced models', zh: '未定价模型的倍率' },
    hint: { en: 'Leave empty to reject models without a price.', zh: '留空则拒绝未定价的模型。' },
  }),
  GroupRatio: option(groupRatios, { default: 1, vip: 1, svip: 1 }, 'ratio', {
    label: { en: 'Group ratio', zh: '分组倍率' },
    hint: {
      en: 'Price factor for the users of a group: 0.8 is 20 % off.',
      zh: '该分组用户的价格系数，0.8 即八折。',
    },
    editor: 'group_ratios',
  }),
  ModelRatio: option(ratios, {}, 'ratio', {
    label: { en: 'Model ratio', zh: '模型倍率' },
    editor: 'model_ratios',
  }),
  ModelPrice: option(callPrices, {}, 'ratio', {
    label: { en: 'Price per call (dollars)', zh: '按次价格（美元）' },
    hint: {
      en: 'A request to such a model costs this price times the group ratio, whatever its tokens.',
      zh: '对这些模型的每次请求按此价格乘以分组倍率计费，与 token 数无关。',
    },
    editor: 'call_prices',
  }),
  CompletionRatio: option(ratios, {}, 'ratio', {
    label: { en: 'Completion ratio', zh: '补全倍率' },
    editor: 'model_ratios',
  }),
  CacheRatio: option(ratios, {}, 'ratio', {
    label: { en: 'Cached prompt ratio', zh: '缓存读取倍率' },
    editor: 'model_ratios',
  }),
  CacheWriteRatio: option(ratios, {}, 'ratio', {
    label: { en: 'Cache write ratio', zh: '缓存写入倍率' },
    editor: 'model_ratios',
  }),
  AudioRatio: option(ratios, {}, 'ratio', {
    label: { en: 'Audio input ratio', zh: '音频输入倍率' },
    editor: 'model_ratios',
  }),
  AudioCompletionRatio: option(ratios, {}, 'ratio', {
    label: { en: 'Audio output ratio', zh: '音频输出倍率' },
    editor: 'model_ratios',
  }),
  ImageRatio: option(ratios, {}, 'ratio', {
    label: { en: 'Image input ratio', zh: '图像输入倍率' },
    editor: 'model_ratios',
  }),
} as const

import { z } from 'zod'
import { option } from './option-row.ts'
import { rule } from './problem.ts'
import { quota, ratio } from './units.ts'
import { publicAddress } from './web-address.ts'

const GROUP_NAME = /^(?!\s)[^,\p{Cc}]*(?<!\s)$/u

const ratios = z.record(z.string().min(1).max(200), ratio)

/** Groups of a channel or a user are stored as comma-separated names. */
const groupName = z
  .string()
  .min(1)
  .max(200)
  .refine(
    (name) => GROUP_NAME.test(name),
    rule(
      'must have no comma, no control character, and no space at its ends',
      '不能包含逗号、控制字符，首尾不能有空格',
    ),
  )

const groupRatios = z
  .record(groupName, ratio)
  .refine(
    (table) => Object.keys(table).length > 0,
    rule('must have at least one group', '至少需要一个分组'),
  )

/** Limit per caller or per group; 0 or a group without an entry means unlimited. */
const limit = z.int().min(0).max(1_000_000_000)
const groupLimits = z.record(groupName, limit)

export const OPERATION_OPTIONS = {
  TopUpLink: option(
    publicAddress,
    '',
    'operation',
    { en: 'Top-up link', zh: '充值链接' },
    { public: 'top_up_link' },
  ),
  ChatLink: option(
    publicAddress,
    '',
    'operation',
    { en: 'Chat link', zh: '聊天页面链接' },
    { public: 'chat_link' },
  ),
  QuotaPerUnit: option(
    z.number().min(0.01).max(1_000_000_000),
    500_000,
    'operation',
    { en: 'Quota per US dollar', zh: '单位美元额度' },
    { public: 'quota_per_unit' },
  ),
  QuotaForNewUser: option(quota, 0, 'operation', {
    en: 'Quota for a new user',
    zh: '新用户初始额度',
  }),
  QuotaForInviter: option(quota, 0, 'operation', {
    en: 'Quota for inviting a user',
    zh: '邀请新用户奖励额度',
  }),
  QuotaForInvitee: option(quota, 0, 'operation', {
    en: 'Quota for registering by an invitation',
    zh: '新用户使用邀请码奖励额度',
  }),
  GiftAccountAgeDays: option(z.int().min(0).max(3650), 0, 'operation', {
    en: 'Days an account must exist before it gives or gets invitation and gift-code bonuses (0 = none)',
    zh: '账户注册满多少天后才能获得邀请奖励或使用礼品码（0 表示不限）',
  }),
  GiftRequiresPaidHistory: option(z.boolean(), false, 'operation', {
    en: 'Gift codes count only if their owner has topped up before',
    zh: '礼品码的主人必须曾经充值，礼品码才有效',
  }),
  QuotaRemindThreshold: option(quota, 1000, 'operation', {
    en: 'Quota below which its owner gets a mail',
    zh: '额度提醒阈值',
  }),
  PreConsumedQuota: option(z.int().min(0).max(10_000_000), 500, 'operation', {
    en: 'Tokens reserved on top of each request',
    zh: '请求预扣费额度',
  }),
  DisplayInCurrencyEnabled: option(
    z.boolean(),
    true,
    'operation',
    { en: 'Show quota as money', zh: '以货币形式显示额度' },
    { public: 'display_in_currency' },
  ),
  DisplayTokenStatEnabled: option(z.boolean(), true, 'operation', {
    en: 'Billing queries answer for the token, not for its owner',
    zh: 'Billing 相关 API 显示令牌额度而非用户额度',
  }),
  LogConsumeEnabled: option(z.boolean(), true, 'operation', {
    en: 'Keep a log row per charged request',
    zh: '启用额度消费日志',
  }),
  LogErrorEnabled: option(z.boolean(), true, 'operation', {
    en: 'Keep a log row per failed request',
    zh: '记录失败请求',
  }),
  LogRetentionDays: option(z.int().min(0).max(3650), 0, 'operation', {
    en: 'Days that log rows are kept (0 = for ever)',
    zh: '日志保留天数（0 表示永久保留）',
  }),
  ApproximateTokenEnabled: option(z.boolean(), false, 'operation', {
    en: 'Approximate token counts',
    zh: '使用近似的方式估算 token 数',
  }),
  ExactTokenBytes: option(z.int().min(0).max(1_048_576), 131_072, 'operation', {
    en: 'Bytes of text up to which tokens are counted exactly',
    zh: '精确计算 token 数的文本上限（字节）',
  }),
  UnpricedFeaturesEnabled: option(z.boolean(), false, 'operation', {
    en: 'Allow provider extras (web search, faster tiers) free of charge',
    zh: '允许服务商在 token 之外另行计费的功能（联网搜索、高速模式等），不向用户收费',
  }),
  RetryTimes: option(z.int().min(0).max(10), 3, 'operation', {
    en: 'Retries after a failure',
    zh: '失败重试次数',
  }),
  HedgeAfterSeconds: option(z.number().min(0).max(600), 10, 'operation', {
    en: 'Seconds of silence after which another channel is asked too (0 = never)',
    zh: '渠道无响应多少秒后同时请求其他渠道（0 表示从不）',
  }),
  StreamRescueEnabled: option(z.boolean(), true, 'operation', {
    en: 'Go on with a broken stream on another channel',
    zh: '流中断时由其他渠道接续',
  }),
  AutomaticDisableChannelEnabled: option(z.boolean(), true, 'operation', {
    en: 'Disable a channel whose key or account is refused',
    zh: '密钥或账户失效时自动禁用渠道',
  }),
  AutomaticEnableChannelEnabled: option(z.boolean(), true, 'operation', {
    en: 'Enable an automatically disabled channel once its test passes',
    zh: '测试成功时自动启用被自动禁用的渠道',
  }),
  ChannelDisableThreshold: option(z.number().min(0).max(3600), 5, 'operation', {
    en: 'Seconds a test may take before the channel counts as too slow (0 = any)',
    zh: '测试最长响应时间（秒，0 表示不限）',
  }),
  DefaultMaxTokens: option(z.int().min(256).max(1_000_000), 131_072, 'operation', {
    en: 'Output tokens to reserve for when neither the request nor the model has a known limit',
    zh: '请求未指定上限且模型上限未知时预扣的输出 token 数',
  }),
  StreamHoldTokens: option(z.int().min(256).max(1_000_000), 4096, 'operation', {
    en: 'Output tokens to reserve ahead of a running stream',
    zh: '流式输出提前预扣的 token 数',
  }),
  DrainEnabled: option(z.boolean(), true, 'operation', {
    en: 'Read on when a client leaves',
    zh: '客户端断开后继续读取上游',
  }),
  UserRequestsPerMinute: option(limit, 0, 'operation', {
    en: 'Requests per minute of each user',
    zh: '每个用户每分钟请求数',
  }),
  UserTokensPerMinute: option(limit, 0, 'operation', {
    en: 'Tokens per minute of each user',
    zh: '每个用户每分钟 token 数',
  }),
  UserConcurrentRequests: option(limit, 0, 'operation', {
    en: 'Requests of each user at once',
    zh: '每个用户并发请求数',
  }),
  TokenRequestsPerMinute: option(limit, 0, 'operation', {
    en: 'Requests per minute of each API key',
    zh: '每个令牌每分钟请求数',
  }),
  TokenTokensPerMinute: option(limit, 0, 'operation', {
    en: 'Tokens per minute of each API key',
    zh: '每个令牌每分钟 token 数',
  }),
  TokenConcurrentRequests: option(limit, 0, 'operation', {
    en: 'Requests of each API key at once',
    zh: '每个令牌并发请求数',
  }),
  GroupRequestsPerMinute: option(groupLimits, {}, 'operation', {
    en: 'Requests per minute of a whole group',
    zh: '整个分组每分钟请求数',
  }),
  GroupTokensPerMinute: option(groupLimits, {}, 'operation', {
    en: 'Tokens per minute of a whole group',
    zh: '整个分组每分钟 token 数',
  }),
  GroupConcurrentRequests: option(groupLimits, {}, 'operation', {
    en: 'Requests of a whole group at once',
    zh: '整个分组并发请求数',
  }),
  /** Null rejects models without a price. */
  DefaultModelRatio: option(ratio.nullable(), 30, 'operation', {
    en: 'Ratio of models without a price',
    zh: '未定价模型的倍率',
  }),
  ModelRatio: option(ratios, {}, 'operation', { en: 'Model ratio', zh: '模型倍率' }),
  CompletionRatio: option(ratios, {}, 'operation', { en: 'Completion ratio', zh: '补全倍率' }),
  CacheRatio: option(ratios, {}, 'operation', { en: 'Cached prompt ratio', zh: '缓存读取倍率' }),
  CacheWriteRatio: option(ratios, {}, 'operation', { en: 'Cache write ratio', zh: '缓存写入倍率' }),
  AudioRatio: option(ratios, {}, 'operation', { en: 'Audio input ratio', zh: '音频输入倍率' }),
  AudioCompletionRatio: option(ratios, {}, 'operation', {
    en: 'Audio output ratio',
    zh: '音频输出倍率',
  }),
  ImageRatio: option(ratios, {}, 'operation', { en: 'Image input ratio', zh: '图像输入倍率' }),
  GroupRatio: option(groupRatios, { default: 1, vip: 1, svip: 1 }, 'operation', {
    en: 'Group ratio',
    zh: '分组倍率',
  }),
} as const

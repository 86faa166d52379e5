import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { rule } from './problem.ts'
import { quota, ratio } from './units.ts'

export type OptionTab = 'operation' | 'system' | 'other'

type Label = { en: string; zh: string }

export type OptionRow<Value = unknown> = {
  schema: z.ZodType<Value>
  default: Value
  tab: OptionTab
  label: Label
  /** Never sent back; an empty input means unchanged. */
  secret: boolean
}

function option<Value>(
  schema: z.ZodType<Value>,
  fallback: Value,
  tab: OptionTab,
  label: Label,
  { secret = false } = {},
): OptionRow<Value> {
  return { schema, default: fallback, tab, label, secret }
}

const address = z
  .string()
  .trim()
  .max(500)
  .transform((url) => url.replace(/\/+$/, ''))
  .refine(
    (url) => url === '' || /^https?:\/\/[^\s/]+/.test(url),
    rule('an address that begins with http:// or https://', '必须以 http:// 或 https:// 开头'),
  )

const prose = z.string().max(100_000)
const ratios = z.record(z.string().min(1).max(200), ratio)
const groupRatios = ratios.refine(
  (table) => Object.keys(table).length > 0,
  rule('at least one group', '至少需要一个分组'),
)

/** The whole table of options: storage, validation, the running snapshot and its editors come from it. */
export const OPTIONS = {
  SystemName: option(z.string().trim().min(1).max(50), 'Tollgate', 'other', {
    en: 'System name',
    zh: '系统名称',
  }),
  Logo: option(address, '', 'other', { en: 'Logo address', zh: 'Logo 图片地址' }),
  Footer: option(prose, '', 'other', { en: 'Footer', zh: '页脚' }),
  Notice: option(prose, '', 'other', { en: 'Notice', zh: '公告' }),
  HomePageContent: option(prose, '', 'other', { en: 'Home page content', zh: '首页内容' }),
  ServerAddress: option(address, '', 'system', { en: 'Server address', zh: '服务器地址' }),
  PasswordLoginEnabled: option(z.boolean(), true, 'system', {
    en: 'Allow login by password',
    zh: '允许通过密码登录',
  }),
  TopUpLink: option(address, '', 'operation', { en: 'Top-up link', zh: '充值链接' }),
  ChatLink: option(address, '', 'operation', { en: 'Chat link', zh: '聊天页面链接' }),
  QuotaPerUnit: option(z.number().min(0.01).max(1_000_000_000), 500_000, 'operation', {
    en: 'Quota per US dollar',
    zh: '单位美元额度',
  }),
  QuotaForNewUser: option(quota, 0, 'operation', {
    en: 'Quota for a new user',
    zh: '新用户初始额度',
  }),
  DisplayInCurrencyEnabled: option(z.boolean(), true, 'operation', {
    en: 'Show quota as money',
    zh: '以货币形式显示额度',
  }),
  LogConsumeEnabled: option(z.boolean(), true, 'operation', {
    en: 'Keep a log row per charged request',
    zh: '启用额度消费日志',
  }),
  LogErrorEnabled: option(z.boolean(), true, 'operation', {
    en: 'Keep a log row per failed request',
    zh: '记录失败请求',
  }),
  ApproximateTokenEnabled: option(z.boolean(), false, 'operation', {
    en: 'Approximate token counts',
    zh: '使用近似的方式估算 token 数',
  }),
  RetryTimes: option(z.int().min(0).max(10), 3, 'operation', {
    en: 'Retries after a failure',
    zh: '失败重试次数',
  }),
  AutomaticDisableChannelEnabled: option(z.boolean(), true, 'operation', {
    en: 'Disable a channel whose key or account is refused',
    zh: '密钥或账户失效时自动禁用渠道',
  }),
  DefaultMaxTokens: option(z.int().min(256).max(1_000_000), 131_072, 'operation', {
    en: 'Output tokens to reserve for when neither the request nor the model has a known limit',
    zh: '请求未指定上限且模型上限未知时预扣的输出 token 数',
  }),
  /** Null refuses models without a price. */
  DefaultModelRatio: option(ratio.nullable(), 30, 'operation', {
    en: 'Ratio of models without a price',
    zh: '未定价模型的倍率',
  }),
  ModelRatio: option(ratios, {}, 'operation', { en: 'Model ratio', zh: '模型倍率' }),
  CompletionRatio: option(ratios, {}, 'operation', { en: 'Completion ratio', zh: '补全倍率' }),
  CacheRatio: option(ratios, {}, 'operation', { en: 'Cached prompt ratio', zh: '缓存读取倍率' }),
  CacheWriteRatio: option(ratios, {}, 'operation', { en: 'Cache write ratio', zh: '缓存写入倍率' }),
  GroupRatio: option(groupRatios, { default: 1, vip: 1, svip: 1 }, 'operation', {
    en: 'Group ratio',
    zh: '分组倍率',
  }),
} as const

export type OptionKey = keyof typeof OPTIONS

export type OptionValues = {
  readonly [Key in OptionKey]: (typeof OPTIONS)[Key] extends OptionRow<infer Value> ? Value : never
}

const entry = z.object({ key: z.string().max(100), value: z.string().max(2_000_000) })

export const optionEndpoints = {
  listOptions: endpoint('GET', '/api/option/', 'admin', { data: z.array(entry) }),
  updateOption: endpoint('PUT', '/api/option/', 'admin', { body: entry }),
} as const

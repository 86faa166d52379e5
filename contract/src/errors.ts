type ErrorRow = { status: 200 | 401 | 403 | 413 | 429 | 500 | 503; en: string; zh: string }

/** Every refusal of the control plane: HTTP status and both texts, with {placeholders}. */
export const ERRORS = {
  invalid_field: {
    status: 200,
    en: 'The field "{field}" is not valid: {problem}',
    zh: '字段“{field}”无效：{problem}',
  },
  field_missing: {
    status: 200,
    en: 'The field "{field}" is missing.',
    zh: '缺少字段“{field}”。',
  },
  malformed_json: {
    status: 200,
    en: 'The request body is not valid JSON.',
    zh: '请求体不是有效的 JSON。',
  },
  not_signed_in: {
    status: 401,
    en: 'Not logged in or login expired, please log in again.',
    zh: '未登录或登录已过期，请重新登录。',
  },
  invalid_access_token: {
    status: 200,
    en: 'The access token is not valid.',
    zh: '访问令牌无效。',
  },
  not_allowed: {
    status: 200,
    en: 'Your role does not allow this.',
    zh: '无权进行此操作，权限不足。',
  },
  foreign_origin: {
    status: 403,
    en: 'This request came from another site and was refused.',
    zh: '该请求来自其他站点，已被拒绝。',
  },
  body_too_large: {
    status: 413,
    en: 'The request body is larger than {limit} bytes.',
    zh: '请求体超过 {limit} 字节的上限。',
  },
  too_many_requests: {
    status: 429,
    en: 'Too many attempts. Try again in {seconds} seconds.',
    zh: '尝试次数过多，请在 {seconds} 秒后重试。',
  },
  internal: {
    status: 500,
    en: 'Internal error. The administrator can find it in the log under {request}.',
    zh: '服务器内部错误，管理员可在日志中按 {request} 查询。',
  },
  database_unavailable: {
    status: 503,
    en: 'The database does not answer. Try again shortly.',
    zh: '数据库暂时不可用，请稍后重试。',
  },
  unknown_path: {
    status: 200,
    en: 'There is nothing at {path}.',
    zh: '{path} 不存在。',
  },
  wrong_credentials: {
    status: 200,
    en: 'Wrong username or password, or the account is banned.',
    zh: '用户名或密码错误，或用户已被封禁。',
  },
  password_login_disabled: {
    status: 200,
    en: 'The administrator has turned off password login.',
    zh: '管理员关闭了密码登录。',
  },
  account_banned: {
    status: 200,
    en: 'This account is banned.',
    zh: '用户已被封禁。',
  },
  user_not_found: { status: 200, en: 'There is no such user.', zh: '用户不存在。' },
  token_not_found: { status: 200, en: 'There is no such token.', zh: '令牌不存在。' },
  channel_not_found: { status: 200, en: 'There is no such channel.', zh: '渠道不存在。' },
  option_not_found: {
    status: 200,
    en: 'There is no option named "{key}".',
    zh: '设置项“{key}”不存在。',
  },
  username_taken: {
    status: 200,
    en: 'The username "{username}" is taken.',
    zh: '用户名“{username}”已被占用。',
  },
  target_not_below: {
    status: 200,
    en: 'You can only manage users whose role is below yours.',
    zh: '无权管理同级或更高权限的用户。',
  },
  root_is_protected: {
    status: 200,
    en: 'The super administrator cannot be promoted, demoted, disabled or deleted.',
    zh: '不能提升、降级、封禁或删除超级管理员。',
  },
  only_root_promotes: {
    status: 200,
    en: 'Only the super administrator can promote a user.',
    zh: '只有超级管理员可以提升用户。',
  },
  already_admin: {
    status: 200,
    en: 'This user is already an administrator.',
    zh: '该用户已经是管理员。',
  },
  already_user: {
    status: 200,
    en: 'This user is already an ordinary user.',
    zh: '该用户已经是普通用户。',
  },
  group_unknown: {
    status: 200,
    en: 'There is no group "{group}". Known groups: {known}.',
    zh: '分组“{group}”不存在，可用分组：{known}。',
  },
  token_past_expiry: {
    status: 200,
    en: 'This token has expired. Change its expiry time before you enable it.',
    zh: '令牌已过期，请先修改过期时间，再启用。',
  },
  token_without_quota: {
    status: 200,
    en: 'This token has no quota left. Raise its quota before you enable it.',
    zh: '令牌额度已用尽，请先修改剩余额度，再启用。',
  },
  subnet_invalid: {
    status: 200,
    en: '"{range}" is no address range. Write one as 10.0.0.0/8, several with commas between.',
    zh: '“{range}”不是有效的网段，请使用 10.0.0.0/8 这样的格式，多个网段用逗号分隔。',
  },
  status_invalid: {
    status: 200,
    en: 'The field "status" must be 1 (enabled) or 2 (disabled).',
    zh: '字段“status”只能是 1（启用）或 2（禁用）。',
  },
  page_too_deep: {
    status: 200,
    en: 'Pages beyond row {limit} are read with before=<id>, not with p.',
    zh: '第 {limit} 行之后的数据请使用 before=<id> 读取，不要使用 p。',
  },
  too_many_tokens: {
    status: 200,
    en: 'An account can hold at most {limit} tokens. Delete one first.',
    zh: '每个账户最多 {limit} 个令牌，请先删除一些。',
  },
  quota_below_held: {
    status: 200,
    en: 'Running requests hold {held} units, so the quota cannot go below that now.',
    zh: '运行中的请求占用了 {held} 额度，暂时不能低于该值。',
  },
  quota_out_of_range: {
    status: 200,
    en: 'The quota must be between 0 and {limit}.',
    zh: '额度必须在 0 到 {limit} 之间。',
  },
  channel_type_unserved: {
    status: 200,
    en: 'Channel type {type} is not served by this version.',
    zh: '当前版本不支持渠道类型 {type}。',
  },
  channel_base_url_required: {
    status: 200,
    en: 'Channels of this type need a base URL.',
    zh: '该类型的渠道必须填写接口地址。',
  },
  one_key_only: {
    status: 200,
    en: 'An edit takes one key, without spaces. Create a channel for each further key.',
    zh: '编辑时只能填写一个不含空格的密钥，其他密钥请新建渠道。',
  },
  too_many_items: {
    status: 200,
    en: 'The field "{field}" asks for more than {limit} at once.',
    zh: '字段“{field}”一次最多 {limit} 项。',
  },
  channel_test_failed: {
    status: 200,
    en: 'The test failed: {reason}',
    zh: '测试失败：{reason}',
  },
  price_unset: {
    status: 200,
    en: 'No price is set for the model "{model}".',
    zh: '模型“{model}”未设置价格。',
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

export type Language = 'en' | 'zh'

export type ErrorParams = Readonly<Record<string, string | number>>

/** Wrong input or a wrong state; carries a code of the table, never a finished text. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly params: ErrorParams

  constructor(code: ErrorCode, params: ErrorParams = {}, cause?: unknown) {
    super(code, cause === undefined ? undefined : { cause })
    this.code = code
    this.params = params
  }
}

/** The text of an error for a reader of `language`. */
export function errorText(code: ErrorCode, params: ErrorParams, language: Language): string {
  return ERRORS[code][language].replace(/\{(\w+)\}/g, (whole, name: string) =>
    String(params[name] ?? whole),
  )
}

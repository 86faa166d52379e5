import { CHANNEL_ERRORS } from './channel-errors.ts'
import type { ErrorRow } from './error-row.ts'
import { FORESEEN_ERRORS } from './foreseen-errors.ts'
import { SECOND_FACTOR_ERRORS } from './second-factor-errors.ts'
import { SIGN_IN_ERRORS } from './sign-in-errors.ts'

/** Control plane errors: HTTP status and message in both languages, with {placeholders}. */
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
  console_elsewhere: {
    status: 403,
    en: 'Changes are possible only at {address}, localhost and IP addresses. If that address is wrong, open the console at localhost or an IP address and correct the option {option} there.',
    zh: '只有通过 {address}、localhost 或 IP 地址访问控制台，才能登录和修改。如果该地址有误，请通过 localhost 或 IP 地址打开控制台，更正设置项 {option}。',
  },
  body_too_large: {
    status: 413,
    en: 'The request body is larger than {limit} bytes.',
    zh: '请求体超过 {limit} 字节的上限。',
  },
  too_many_values: {
    status: 413,
    en: 'The request body has more than {limit} JSON values.',
    zh: '请求体中的 JSON 值超过 {limit} 个的上限。',
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
  user_not_found: { status: 200, en: 'There is no such user.', zh: '用户不存在。' },
  token_not_found: { status: 200, en: 'There is no such token.', zh: '令牌不存在。' },
  channel_not_found: { status: 200, en: 'There is no such channel.', zh: '渠道不存在。' },
  option_not_found: {
    status: 200,
    en: 'There is no option named "{key}".',
    zh: '设置项“{key}”不存在。',
  },
  group_unknown: {
    status: 200,
    field: 'group',
    en: 'There is no group "{group}". Known groups: {known}.',
    zh: '分组“{group}”不存在，可用分组：{known}。',
  },
  group_in_use: {
    status: 200,
    en: 'The group "{group}" is in use by {users} users and {channels} channels. Move it below the group ratios.',
    zh: '分组“{group}”仍有 {users} 个用户和 {channels} 个渠道在使用，请先在分组倍率下方移动。',
  },
  price_day_past: {
    status: 200,
    field: 'from',
    en: '{day} has begun. Leave it out to set the price at once.',
    zh: '{day} 已经开始。如需立即生效，请不要填写日期。',
  },
  group_moved_to_itself: {
    status: 200,
    field: 'to',
    en: 'A group cannot be moved to itself.',
    zh: '不能将分组移动到其自身。',
  },
  group_needed: {
    status: 200,
    en: 'The group "{group}" is needed for new users. It must keep a ratio.',
    zh: '分组“{group}”用于新用户，必须保留倍率。',
  },
  subnet_invalid: {
    status: 200,
    field: 'subnet',
    en: 'The field "subnet" must be comma-separated ranges such as 10.0.0.0/8; "{range}" is not a range.',
    zh: '字段“subnet”须为 10.0.0.0/8 这样的网段，多个以逗号分隔；“{range}”不是网段。',
  },
  status_invalid: {
    status: 200,
    field: 'status',
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
    en: 'Running requests hold {held} units, so the quota cannot be set lower now.',
    zh: '正在处理的请求占用了 {held} 额度，暂时不能把额度改到该值以下。',
  },
  quota_out_of_range: {
    status: 200,
    en: 'The quota must be between 0 and {limit}.',
    zh: '额度必须在 0 到 {limit} 之间。',
  },
  password_hidden: {
    status: 200,
    en: 'The address in the field "{field}" has *** instead of its password, which is not copied. Enter the password.',
    zh: '字段“{field}”中的地址以 *** 代替了密码，密码不会随渠道一起复制，请填写密码。',
  },
  password_half_hidden: {
    status: 200,
    en: 'The address in the field "{field}" has other characters next to the *** that stands for its password. Enter the whole password, or only *** to keep it.',
    zh: '字段“{field}”中代替密码的 *** 前后多了其他内容。请填写完整的新密码，或只保留 *** 以沿用原密码。',
  },
  password_needed_again: {
    status: 200,
    en: 'The address in the field "{field}" names another server or user. Enter its password again.',
    zh: '字段“{field}”中的地址指向了另一台服务器或另一个用户，请重新填写其中的密码。',
  },
  header_hidden: {
    status: 200,
    en: 'The field "{field}" has *** instead of the value of the header, which is kept only for the same server. Enter the value.',
    zh: '字段“{field}”以 *** 代替了请求头的值。该值只对原来的服务器有效，请重新填写。',
  },
  too_many_items: {
    status: 200,
    en: 'The field "{field}" allows at most {limit} at once.',
    zh: '字段“{field}”一次最多 {limit} 项。',
  },
  bulk_run_active: {
    status: 200,
    en: 'This is already running: {done} of {total} channels are done.',
    zh: '任务正在进行中（{done}/{total}），请等待完成后再试。',
  },
  mail_not_configured: {
    status: 200,
    en: 'The administrator has not set up a mail server.',
    zh: '管理员未配置 SMTP 服务器。',
  },
  reset_mail_unavailable: {
    status: 200,
    en: 'This site cannot send reset emails. Ask its administrator for a new password.',
    zh: '本站无法发送重置邮件，请联系管理员重置密码。',
  },
  mail_failed: {
    status: 200,
    en: 'The email could not be sent: {reason}',
    zh: '邮件发送失败：{reason}',
  },
  server_address_unset: {
    status: 200,
    en: 'Set the server address (ServerAddress) first.',
    zh: '请先填写服务器地址（ServerAddress）。',
  },
  option_needs: {
    status: 200,
    en: 'Set these before "{key}": {needed}.',
    zh: '设置“{key}”前请先填写：{needed}。',
  },
  option_needed: {
    status: 200,
    en: '"{key}" cannot be empty while "{by}" is in use.',
    zh: '“{by}”正在使用，“{key}”不能为空。',
  },
  console_host_shared: {
    status: 200,
    en: 'The console address and the server address must have different host names.',
    zh: '控制台地址与服务器地址的主机名不能相同。',
  },
  not_the_console: {
    status: 404,
    en: 'The console and its API are not available at this host. Use {address}.',
    zh: '此主机名不提供控制台及其 API，请访问 {address}。',
  },
  secret_needed_again: {
    status: 200,
    en: '"{key}" would be sent to another server. Enter it again before you change "{by}".',
    zh: '“{key}”将会发往另一台服务器，修改“{by}”前请先重新填写。',
  },
  identity_changed: {
    status: 200,
    en: 'The settings of this way to log in have just changed. Try again.',
    zh: '该登录方式的设置刚刚发生变化，请重试。',
  },
  managed_by_file: {
    status: 200,
    en: '{what} is managed by the configuration file {file} and cannot be changed here. Change the file and apply it.',
    zh: '{what}由配置文件 {file} 管理，不能在此修改。请修改该文件后重新应用。',
  },
  option_changed_again: {
    status: 200,
    en: 'One of these options has been changed again. Nothing was confirmed; review the changes again.',
    zh: '其中有设置项又被修改，本次未确认任何修改，请重新核对。',
  },
  feed_not_found: { status: 200, en: 'There is no such price feed.', zh: '价格源不存在。' },
  feed_name_taken: {
    status: 200,
    field: 'name',
    en: 'There is another price feed of this name.',
    zh: '已有同名的价格源。',
  },
  feed_changed_again: {
    status: 200,
    en: 'The feed has been updated since. Nothing was applied; review the changes again.',
    zh: '价格源已更新，本次未应用任何修改，请重新核对。',
  },
  bill_source_not_found: {
    status: 200,
    en: 'There is no such bill source.',
    zh: '账单来源不存在。',
  },
  bill_name_taken: {
    status: 200,
    field: 'name',
    en: 'There is another bill source of this name.',
    zh: '已有同名的账单来源。',
  },
  bill_import_not_found: { status: 200, en: 'There is no such import.', zh: '导入记录不存在。' },
  bill_import_active: {
    status: 200,
    en: 'An import of this source is running. Wait until it has ended.',
    zh: '该来源正在导入，请等待其结束。',
  },
  bill_import_ended: {
    status: 200,
    en: 'This import has ended. Import the file again.',
    zh: '该导入已结束，请重新导入文件。',
  },
  bill_part_expected: {
    status: 200,
    en: 'Part {part} of the file comes next.',
    zh: '接下来应为文件的第 {part} 部分。',
  },
  bill_has_no_api: {
    status: 200,
    en: 'This kind of bill has no API. Import a file.',
    zh: '该类型的账单没有接口，请导入文件。',
  },
  bill_period_not_over: {
    status: 200,
    en: 'Nothing of this period is over yet, so there is no bill of it.',
    zh: '该时间范围尚未结束，还没有账单。',
  },
  log_not_found: { status: 200, en: 'There is no such log entry.', zh: '日志不存在。' },
  redemption_not_found: {
    status: 200,
    en: 'There is no such redemption code.',
    zh: '兑换码不存在。',
  },
  redemption_unusable: {
    status: 200,
    field: 'key',
    en: 'This code does not exist, is disabled, has expired or has been used.',
    zh: '兑换码不存在、已被禁用、已过期或已被使用。',
  },
  redemption_expiry_past: {
    status: 200,
    field: 'expired_time',
    en: 'The field "expired_time" must be a moment in the future, or 0 for never.',
    zh: '字段“expired_time”必须是将来的时间，0 表示永不过期。',
  },
  redemption_used_by_you: {
    status: 200,
    field: 'key',
    en: 'You have redeemed this code already.',
    zh: '你已经使用过该兑换码。',
  },
  gift_code_unknown: {
    status: 200,
    field: 'gift_code',
    en: 'There is no such gift code.',
    zh: '礼品码不存在。',
  },
  gift_code_own: {
    status: 200,
    field: 'gift_code',
    en: 'You cannot use your own gift code.',
    zh: '不能使用自己的礼品码。',
  },
  gift_too_early: {
    status: 200,
    field: 'gift_code',
    en: 'A gift code can be used between accounts that are at least {days} days old.',
    zh: '双方账户都注册满 {days} 天后才能使用礼品码。',
  },
  gift_code_unpaid: {
    status: 200,
    field: 'gift_code',
    en: 'This gift code works once its owner has topped up.',
    zh: '礼品码的主人充值后，该礼品码才有效。',
  },
  reminder_link_invalid: {
    status: 200,
    en: 'This link is not valid, or your account has another email address by now. Log in to change your reminders.',
    zh: '链接无效，或账户已更换邮箱。请登录后修改提醒设置。',
  },
  transaction_differs: {
    status: 200,
    en: 'The id "{id}" has already been used for another user or amount.',
    zh: '编号“{id}”已用于其他用户或其他金额。',
  },
  edit_differs: {
    status: 200,
    en: 'Another change with the id "{id}" has already been made to this quota. Load it again before you change it.',
    zh: '编号“{id}”的另一项修改已生效，请重新加载当前额度后再修改。',
  },
  payout_too_large: {
    status: 200,
    en: 'The earnings balance is only {balance} fen, less than this payout.',
    zh: '收益余额仅 {balance} 分，不足以结算该金额。',
  },
  ...FORESEEN_ERRORS,
  ...CHANNEL_ERRORS,
  ...SIGN_IN_ERRORS,
  ...SECOND_FACTOR_ERRORS,
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

import type { ErrorRow } from './error-row.ts'
import type { ERRORS } from './errors.ts'

type Texts = Pick<ErrorRow, 'en' | 'zh'>

/**
 * What errors say in a form at the field, whose label the reader sees instead of the API's name.
 * Errors whose texts name no field say the same in both places.
 */
export const AT_FIELD: Readonly<Partial<Record<keyof typeof ERRORS, Texts>>> = {
  field_missing: { en: 'must not be empty', zh: '不能为空' },
  too_many_items: { en: 'Enter at most {limit} items.', zh: '最多填写 {limit} 项。' },
  password_hidden: {
    en: 'The address has *** instead of its password, which is not copied. Enter the password.',
    zh: '地址以 *** 代替了密码，密码不会随渠道一起复制，请填写密码。',
  },
  password_half_hidden: {
    en: 'The address has other characters next to the *** that stands for its password. Enter the whole password, or only *** to keep it.',
    zh: '代替密码的 *** 前后多了其他内容。请填写完整的新密码，或只保留 *** 以沿用原密码。',
  },
  password_needed_again: {
    en: 'The address names another server or user. Enter its password again.',
    zh: '地址指向了另一台服务器或另一个用户，请重新填写其中的密码。',
  },
  header_hidden: {
    en: 'A header has *** instead of its value, which is kept only for the same server. Enter the value.',
    zh: '请求头的值以 *** 代替，该值只对原来的服务器有效，请重新填写。',
  },
  subnet_invalid: {
    en: 'must be comma-separated ranges such as 10.0.0.0/8; "{range}" is not a range',
    zh: '须为 10.0.0.0/8 这样的网段，多个以逗号分隔；“{range}”不是网段',
  },
  status_invalid: { en: 'must be 1 (enabled) or 2 (disabled)', zh: '只能是 1（启用）或 2（禁用）' },
  redemption_expiry_past: { en: 'must be in the future', zh: '必须是将来的时间' },
  channel_type_unserved: {
    en: 'This version does not support this type.',
    zh: '当前版本不支持该类型。',
  },
  channel_base_url_required: {
    en: 'must not be empty: channels of this type need an address',
    zh: '不能为空：该类型的渠道必须填写接口地址',
  },
  key_line_invalid: {
    en: 'Line {line} contains a space or another character that cannot be in a key.',
    zh: '第 {line} 行含有空格或其他无效字符。',
  },
  key_form_invalid: {
    en: 'Line {line} does not look like a key for this channel type; the format is {format}.',
    zh: '第 {line} 行不符合该类型渠道的密钥格式，应为 {format}。',
  },
  import_not_understood: {
    en: 'The file contains no channels. Use an export of Tollgate, New API, One API or one-hub.',
    zh: '文件中没有渠道，请使用 Tollgate、New API、One API 或 one-hub 导出的文件。',
  },
}

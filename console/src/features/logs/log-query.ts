import { isLogResult } from '@tollgate/contract'
import { type Field, type Fields, isValid } from './log-fields.ts'

/*
 * The query field's language: words such as `failed model:gpt-5* user:carol charge>0.01 time>2s`.
 * Values with spaces stand in quotes, in which a backslash goes before a quote. A plain word is a
 * result, a request id, or a part of a model. Chinese keyboards write colons and angles wider. Keys
 * and results have other names too, such as those that the Chinese console shows.
 */

type NameKey = 'model' | 'token' | 'user'

/** Names are whole, or parts if they have a `*`. */
const NAMES: Readonly<Record<NameKey, { whole: Field; part: Field }>> = {
  model: { whole: 'model_name', part: 'model_part' },
  token: { whole: 'token_name', part: 'token_part' },
  user: { whole: 'username', part: 'user_part' },
}

const PLAIN = {
  channel: 'channel',
  error: 'error',
  endpoint: 'endpoint',
  group: 'group',
  stream: 'stream',
  request: 'request_id',
  is: 'outcome',
} as const satisfies Record<string, Field>

const BOUNDS = { charge: 'quota', time: 'duration' } as const

export const QUERY_KEYS = [
  'model',
  'token',
  'error',
  'endpoint',
  'group',
  'stream',
  'request',
] as const
export const ADMIN_KEYS = ['user', 'channel'] as const

const isName = (key: string): key is NameKey => Object.hasOwn(NAMES, key)
const isPlain = (key: string): key is keyof typeof PLAIN => Object.hasOwn(PLAIN, key)
const isRequestId = (word: string) => /^\d{20,40}$/.test(word)

export type ParsedQuery = {
  fields: Partial<Fields>
  /** Words that mean nothing. */
  unknown: string[]
}

const WORD = /(?:[^\s"]|"(?:\\.|[^"\\])*"?)+/g
const COLON = /[:：]/
const COMPARISON = /[<>＜＞=＝]/

const OTHER_KEYS: Readonly<Record<string, string>> = {
  cost: 'charge',
  duration: 'time',
  id: 'request',
  status: 'is',
  模型: 'model',
  令牌: 'token',
  用户: 'user',
  渠道: 'channel',
  错误: 'error',
  接口: 'endpoint',
  分组: 'group',
  流式: 'stream',
  请求: 'request',
  结果: 'is',
  费用: 'charge',
  消费: 'charge',
  耗时: 'time',
}

const OTHER_RESULTS: Readonly<Record<string, string>> = {
  success: 'answered',
  成功: 'answered',
  失败: 'failed',
  中断: 'cut_off',
  拒绝: 'refused',
  被拒绝: 'refused',
  取消: 'cancelled',
  已取消: 'cancelled',
}

const typedWords = (text: string): string[] => text.match(WORD) ?? []

export const wordsOf = (text: string): string[] => typedWords(text).map(inUsualForm)

/** The word with the usual key and result; an equals sign is a colon. */
function inUsualForm(word: string): string {
  const [, given, by, value = ''] = /^(\p{L}+)([:：=＝]|[<>＜＞]=?)(.*)$/su.exec(word) ?? []
  if (given === undefined || by === undefined) return usualResult(word)
  const key = otherName(OTHER_KEYS, given.toLowerCase()) ?? given.toLowerCase()
  if (Object.hasOwn(BOUNDS, key)) return `${key}${by}${value}`
  if (!isName(key) && !isPlain(key)) return word
  return `${key}${/[=＝]/.test(by) ? ':' : by}${key === 'is' ? usualResult(value) : value}`
}

function usualResult(word: string): string {
  const lower = word.toLowerCase()
  return otherName(OTHER_RESULTS, lower) ?? (isLogResult(lower) ? lower : word)
}

const otherName = (names: Readonly<Record<string, string>>, word: string) =>
  Object.hasOwn(names, word) ? names[word] : undefined

export function parseQuery(text: string, quotaPerUnit: number): ParsedQuery {
  const fields: Partial<Fields> = {}
  const unknown: string[] = []
  const plain = new Set<Field>()
  for (const word of typedWords(text)) {
    const found = fieldOf(inUsualForm(word), quotaPerUnit)
    if (found === null || !isValid(found.field, found.value)) unknown.push(word)
    else if (plain.has(found.field) || (found.isPlain && fields[found.field] !== undefined)) {
      // A sentence would be searched by one word alone.
      unknown.push(word)
    } else if (found.field === 'outcome' && fields.outcome !== undefined) {
      fields.outcome = `${fields.outcome},${found.value}`
    } else {
      fields[found.field] = found.value
      if (found.isPlain) plain.add(found.field)
    }
  }
  return { fields, unknown }
}

type Found = { field: Field; value: string; isPlain?: boolean }

function fieldOf(word: string, quotaPerUnit: number): Found | null {
  const bound = /^(charge|time)([<>＜＞])=?(.+)$/.exec(word)
  if (bound) {
    return boundOf(bound[1] === 'time' ? 'time' : 'charge', bound[2], bound[3], quotaPerUnit)
  }
  const colon = word.search(COLON)
  if (colon === -1) {
    return COMPARISON.test(word) && !word.startsWith('"') ? null : plainWord(unquoted(word))
  }
  const [key, value] = [word.slice(0, colon), unquoted(word.slice(colon + 1))]
  if (value === '') return null
  if (isPlain(key)) return { field: PLAIN[key], value }
  if (!isName(key)) return null
  if (key === 'user' && /^#\d+$/.test(value)) return { field: 'user_id', value: value.slice(1) }
  return { field: value.includes('*') ? NAMES[key].part : NAMES[key].whole, value }
}

function plainWord(word: string): Found {
  if (isLogResult(word)) return { field: 'outcome', value: word }
  if (isRequestId(word)) return { field: 'request_id', value: word }
  return { field: 'model_part', value: word, isPlain: true }
}

const MS_PER_SECOND = 1000

function boundOf(key: keyof typeof BOUNDS, side = '', amount = '', quotaPerUnit = 1): Found | null {
  const match = /^\$?(\d+(?:\.\d+)?)(ms|s)?$/.exec(amount)
  if (!match) return null
  const number = Number(match[1])
  const factor = key === 'charge' ? quotaPerUnit : match[2] === 'ms' ? 1 : MS_PER_SECOND
  const value = String(Math.round(number * factor))
  return { field: `${/[>＞]/.test(side) ? 'min' : 'max'}_${BOUNDS[key]}`, value }
}

const QUOTED = /"((?:\\.|[^"\\])*)"?/g

export const unquoted = (text: string) =>
  text.replace(QUOTED, (_, inner: string) => inner.replaceAll(/\\(.)/g, '$1'))

export const quoted = (value: string) =>
  /[\s"]/.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : value

/** A suggested key or comparison, whose value is typed next. */
export const isUnfinished = (text: string) => /[:>]$/.test(text)

/** Where the value of a word begins; 0 for a word without a key. */
export const valueStart = (word: string) => word.search(COLON) + 1

/** The text of a filter; reading it again gives the same filter. */
export function queryText(fields: Fields, quotaPerUnit: number): string {
  const words: string[] = []
  const add = (key: string, value: string) => {
    if (value !== '') words.push(`${key}:${quoted(value)}`)
  }
  words.push(...fields.outcome.split(',').filter((result) => result !== ''))
  for (const [key, { whole, part }] of Object.entries(NAMES)) {
    add(key, fields[whole])
    const text = fields[part]
    if (text !== '') add(key, text.includes('*') ? text : `*${text}*`)
  }
  add('user', fields.user_id === '' ? '' : `#${fields.user_id}`)
  for (const [key, field] of Object.entries(PLAIN)) {
    if (field !== 'outcome') add(key, fields[field])
  }
  const dollars = (quota: string) => String(Number(quota) / quotaPerUnit)
  if (fields.min_quota !== '') words.push(`charge>${dollars(fields.min_quota)}`)
  if (fields.max_quota !== '') words.push(`charge<${dollars(fields.max_quota)}`)
  if (fields.min_duration !== '') words.push(`time>${fields.min_duration}ms`)
  if (fields.max_duration !== '') words.push(`time<${fields.max_duration}ms`)
  return words.join(' ')
}

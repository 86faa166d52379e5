import type { z } from 'zod'
import type { Language } from './app-error.ts'

type Issue = z.core.$ZodRawIssue

const TYPES: Readonly<Record<string, Record<Language, string>>> = {
  number: { en: 'must be a number', zh: '必须是数字' },
  int: { en: 'must be a whole number', zh: '必须是整数' },
  string: { en: 'must be a text', zh: '必须是文本' },
  boolean: { en: 'must be true or false', zh: '只能是 true 或 false' },
  array: { en: 'must be a list', zh: '必须是列表' },
  object: { en: 'must be an object', zh: '必须是对象' },
  record: { en: 'must be an object', zh: '必须是对象' },
}

/** Describes what the field must be, in terms for a form; undefined falls back to zod's text. */
export function problemText(issue: Issue, language: Language): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return language === 'zh' ? '缺少该字段' : 'it is missing'
      return TYPES[issue.expected]?.[language]
    case 'too_small':
      return limitText(issue, { limit: issue.minimum, side: 'least' }, language)
    case 'too_big':
      return limitText(issue, { limit: issue.maximum, side: 'most' }, language)
    case 'invalid_value': {
      // The empty string stands for a field that is left out, so it is not offered as a choice.
      const values = issue.values.map(String).filter((value) => value !== '')
      return language === 'zh'
        ? `只能是 ${values.join('、')}`
        : `must be one of ${values.join(', ')}`
    }
    case 'unrecognized_keys': {
      const [name = ''] = issue.keys
      return language === 'zh' ? `包含未知的成员“${name}”` : `has an unknown member "${name}"`
    }
    default:
      return undefined
  }
}

type Limit = { limit: number | bigint; side: 'least' | 'most' }
type Sized = { origin: string; inclusive?: boolean | undefined }

function limitText({ origin, inclusive }: Sized, { limit, side }: Limit, language: Language) {
  if (origin === 'string' || origin === 'array') return sizeText(origin, { limit, side }, language)
  if (inclusive === false) {
    if (language === 'zh') return side === 'least' ? `必须大于 ${limit}` : `必须小于 ${limit}`
    return side === 'least' ? `must be more than ${limit}` : `must be less than ${limit}`
  }
  if (language === 'zh') return side === 'least' ? `不能小于 ${limit}` : `不能大于 ${limit}`
  return `must be at ${side} ${limit}`
}

function sizeText(origin: 'string' | 'array', { limit, side }: Limit, language: Language) {
  if (side === 'least' && Number(limit) === 1)
    return language === 'zh' ? '不能为空' : 'must not be empty'
  if (language === 'zh') {
    return `${side === 'least' ? '至少' : '最多'} ${limit} ${origin === 'string' ? '个字符' : '项'}`
  }
  const noun = origin === 'string' ? 'character' : 'item'
  return `must have at ${side} ${limit} ${noun}${Number(limit) === 1 ? '' : 's'}`
}

import type { z } from 'zod'
import type { Language } from './errors.ts'

type Issue = z.core.$ZodRawIssue

const TYPES: Readonly<Record<string, Record<Language, string>>> = {
  number: { en: 'a number', zh: '必须是数字' },
  int: { en: 'a whole number', zh: '必须是整数' },
  string: { en: 'a text', zh: '必须是文本' },
  boolean: { en: 'true or false', zh: '只能是 true 或 false' },
  array: { en: 'a list', zh: '必须是列表' },
  object: { en: 'an object', zh: '必须是对象' },
  record: { en: 'an object', zh: '必须是对象' },
}

/** What is allowed, in the words of somebody who fills in a form; undefined leaves it to zod. */
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
      const values = issue.values.map(String)
      return language === 'zh' ? `只能是 ${values.join('、')}` : `one of ${values.join(', ')}`
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
    return side === 'least' ? `more than ${limit}` : `less than ${limit}`
  }
  if (language === 'zh') return side === 'least' ? `不能小于 ${limit}` : `不能大于 ${limit}`
  return `at ${side} ${limit}`
}

function sizeText(origin: 'string' | 'array', { limit, side }: Limit, language: Language) {
  if (side === 'least' && Number(limit) === 1) return language === 'zh' ? '不能为空' : 'not empty'
  if (language === 'zh') {
    return `${side === 'least' ? '至少' : '最多'} ${limit} ${origin === 'string' ? '个字符' : '项'}`
  }
  const noun = origin === 'string' ? 'character' : 'item'
  return `at ${side} ${limit} ${noun}${Number(limit) === 1 ? '' : 's'}`
}

import { z } from 'zod'
import type { Language } from './errors.ts'
import { problemText } from './problem-text.ts'

/** What a refined field must be, in both languages. */
export const rule = (en: string, zh: string) => ({ error: en, params: { en, zh } })

const inChinese = z.locales.zhCN().localeError

/** Parses with messages in `language`. */
export function parseIn<Output>(schema: z.ZodType<Output>, value: unknown, language: Language) {
  return schema.safeParse(value, {
    error: (issue) =>
      problemText(issue, language) ?? (language === 'zh' ? inChinese(issue) : undefined),
  })
}

type Issue = z.core.$ZodIssue

/** The first thing wrong with a value: which field, empty for the whole, and what is allowed there. */
export function firstProblem(error: z.ZodError, language: Language) {
  const issue = error.issues[0]
  if (issue === undefined) throw new Error('a failed parse has no issue')
  return describe(issue, [], language)
}

function describe(issue: Issue, above: PropertyKey[], language: Language) {
  const path = [...above, ...issue.path]
  // The branches of our unions go from the special value to the usual one.
  const usual = issue.code === 'invalid_union' ? issue.errors.at(-1)?.[0] : undefined
  if (usual) return describe(usual, path, language)
  const zh: unknown = issue.code === 'custom' ? issue.params?.['zh'] : undefined
  const problem = language === 'zh' && typeof zh === 'string' ? zh : issue.message
  return { field: path.map(String).join('.'), problem }
}

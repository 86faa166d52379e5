import { z } from 'zod'
import type { Language } from './app-error.ts'
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
  const issue = firstOf(error.issues)
  if (issue === undefined) throw new Error('a failed parse has no issue')
  return describe(issue, [], language)
}

/** Of several limits that the first value is beyond, that of its own: zod names those of its kind before. */
function firstOf(issues: readonly Issue[] = []): Issue | undefined {
  const [first] = issues
  const isOfSame = ({ code, path }: Issue) =>
    code === first?.code && String(path) === String(first.path)
  return first?.code === 'too_big' || first?.code === 'too_small'
    ? issues.findLast(isOfSame)
    : first
}

function describe(issue: Issue, above: PropertyKey[], language: Language) {
  const path = [...above, ...issue.path]
  const inner = innerIssue(issue)
  if (inner) return describe(inner, path, language)
  const zh: unknown = issue.code === 'custom' ? issue.params?.['zh'] : undefined
  const problem = language === 'zh' && typeof zh === 'string' ? zh : issue.message
  return { field: path.map(shown).join('.'), problem }
}

/** The branches of our unions go from the special value to the usual one. */
function innerIssue(issue: Issue): Issue | undefined {
  if (issue.code === 'invalid_union') return firstOf(issue.errors.at(-1))
  return issue.code === 'invalid_key' ? firstOf(issue.issues) : undefined
}

const KEY_CHARACTERS_MAX = 100

/** The rows of a table are named by whoever sent it. */
function shown(key: PropertyKey): string {
  const text = String(key)
  return text.length <= KEY_CHARACTERS_MAX ? text : `${text.slice(0, KEY_CHARACTERS_MAX)}…`
}

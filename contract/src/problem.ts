import { z } from 'zod'
import type { Language } from './app-error.ts'
import { problemText } from './problem-text.ts'

/** The rule of a refined field in both languages. */
export const rule = (en: string, zh: string) => ({ error: en, params: { en, zh } })

const inChinese = z.locales.zhCN().localeError

export function parseIn<Output>(schema: z.ZodType<Output>, value: unknown, language: Language) {
  return schema.safeParse(value, {
    error: (issue) =>
      problemText(issue, language) ?? (language === 'zh' ? inChinese(issue) : undefined),
  })
}

type Issue = z.core.$ZodIssue

/** Reports the first invalid field (empty for the whole value) and the rule it breaks. */
export function firstProblem(error: z.ZodError, language: Language) {
  const issue = firstOf(error.issues)
  if (issue === undefined) throw new Error('a failed parse has no issue')
  return describe(issue, [], language)
}

export type Problem = {
  readonly path: readonly PropertyKey[]
  readonly problem: string
  /** Names of members that the value must not have. */
  readonly unknown: readonly string[]
}

/** Every invalid field and the first rule that it breaks. */
export function listProblems(error: z.ZodError, language: Language): readonly Problem[] {
  const byPath = new Map<string, Issue[]>()
  for (const issue of error.issues) {
    const at = JSON.stringify([issue.path.map(String), issue.code === 'unrecognized_keys'])
    byPath.set(at, [...(byPath.get(at) ?? []), issue])
  }
  return [...byPath.values()].flatMap((issues) => {
    const issue = firstOf(issues)
    return issue === undefined ? [] : [problemOf(issue, [], language)]
  })
}

/**
 * zod reports the built-in limit of a numeric type before the schema's own limit. If the first
 * value breaks both, the last limit reported is the schema's.
 */
function firstOf(issues: readonly Issue[] = []): Issue | undefined {
  const [first] = issues
  const isOfSame = ({ code, path }: Issue) =>
    code === first?.code && String(path) === String(first.path)
  return first?.code === 'too_big' || first?.code === 'too_small'
    ? issues.findLast(isOfSame)
    : first
}

function describe(issue: Issue, above: PropertyKey[], language: Language) {
  const { path, problem } = problemOf(issue, above, language)
  return { field: path.map(shown).join('.'), problem }
}

function problemOf(issue: Issue, above: readonly PropertyKey[], language: Language): Problem {
  const path = [...above, ...issue.path]
  const inner = innerIssue(issue)
  if (inner) return problemOf(inner, path, language)
  const zh: unknown = issue.code === 'custom' ? issue.params?.['zh'] : undefined
  const problem = language === 'zh' && typeof zh === 'string' ? zh : issue.message
  return { path, problem, unknown: issue.code === 'unrecognized_keys' ? issue.keys : [] }
}

/** Our unions list the special value first and the usual type last. */
function innerIssue(issue: Issue): Issue | undefined {
  if (issue.code === 'invalid_union') return firstOf(issue.errors.at(-1))
  return issue.code === 'invalid_key' ? firstOf(issue.issues) : undefined
}

const KEY_CHARACTERS_MAX = 100

/** Keys of a table are user input of any length. */
function shown(key: PropertyKey): string {
  const text = String(key)
  return text.length <= KEY_CHARACTERS_MAX ? text : `${text.slice(0, KEY_CHARACTERS_MAX)}…`
}

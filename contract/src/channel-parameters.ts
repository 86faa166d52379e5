import type { InBoth } from './app-error.ts'

/*
 * Which parameters of a request a channel may set or remove. The amount that is held for a request
 * and the usage that is charged are computed from what the client sent, so a channel cannot change
 * what a request costs.
 */

/** Spellings that some provider takes for the same name are equal. */
const plainName = (name: string) => name.toUpperCase().toLowerCase().replaceAll(/[_-]/g, '')

/** Plain names of what a request asks, of which model, and of how much may be written. */
const CONTENT = [
  'model',
  'models',
  'route',
  'fallbacks',
  'stream',
  'streamoptions',
  'messages',
  'input',
  'inputs',
  'prompt',
  'contents',
  'suffix',
  'system',
  'systeminstruction',
  'instructions',
  'previousresponseid',
  'conversation',
  'tools',
  'functions',
  'mcpservers',
  'container',
  'contextmanagement',
  'cachedcontent',
  'documents',
  'files',
  'fileids',
  'attachments',
  'datasources',
  'modalities',
  'responsemodalities',
  'audio',
  'prediction',
  'n',
  'bestof',
  'candidatecount',
  'numcompletions',
  'numreturnsequences',
  'numpredict',
  'numctx',
  'budgettokens',
  'thinkingbudget',
]
const OUTPUT_LIMIT = /^max.*(?:token|len)/
/** Plain names of what is billed in addition to tokens, or at another price. */
const BILLED = [
  'servicetier',
  'speed',
  'inferencegeo',
  'plugins',
  'preset',
  'provideroptions',
  'enableenhancement',
]
const BILLED_PART = /search|fallbacks/

const CONTENT_NAMES: ReadonlySet<string> = new Set(CONTENT)
const BILLED_NAMES: ReadonlySet<string> = new Set(BILLED)

/** Objects that contain such parameters, so that only their members may be changed. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'generationconfig',
  'options',
  'parameters',
  'extrabody',
])

/** Members of a JSON schema have names of any kind. */
const SCHEMAS: ReadonlySet<string> = new Set([
  'schema',
  'jsonschema',
  'responseformat',
  'responseschema',
  'responsejsonschema',
  'guidedjson',
])

type Change = 'set' | 'remove'

const isContent = (name: string) =>
  CONTENT_NAMES.has(plainName(name)) || OUTPUT_LIMIT.test(plainName(name))

const isBilled = (name: string) =>
  BILLED_NAMES.has(plainName(name)) || BILLED_PART.test(plainName(name))

/** Removing a switch may turn on what it switches off. */
const isSwitchOff = (name: string) => plainName(name).startsWith('disable')

const isRefused = (name: string, change: Change) =>
  isContent(name) || (change === 'set' ? isBilled(name) : isSwitchOff(name))

const refusal = (name: string): InBoth => ({
  en: `must leave "${name}" alone, because a request is charged by it`,
  zh: `不能更改“${name}”，因为它决定请求的费用`,
})

/** Why a channel may not change the parameter at this path; null if it may. */
export function pathProblem(path: string, change: Change): InBoth | null {
  const names = path.split('.')
  const refused = names.find((name) => isRefused(name, change))
  if (refused !== undefined) return refusal(refused)
  const last = names.at(-1) ?? ''
  if (!CONTAINERS.has(plainName(last))) return null
  return {
    en: `must name a member of "${last}", such as ${path}.top_k`,
    zh: `必须指定“${last}”中的成员，例如 ${path}.top_k`,
  }
}

/** Why a channel may not set the parameter at this path to the value; null if it may. */
export function settingProblem(path: string, value: unknown): InBoth | null {
  const hasSchema = path.split('.').some((name) => SCHEMAS.has(plainName(name)))
  return pathProblem(path, 'set') ?? (hasSchema ? null : valueProblem(value))
}

const DEPTH_MAX = 20
const TOO_DEEP: InBoth = { en: 'is nested too deeply', zh: '嵌套层数过多' }

function valueProblem(value: unknown, depth = 0): InBoth | null {
  if (typeof value !== 'object' || value === null) return null
  if (depth > DEPTH_MAX) return TOO_DEEP
  return firstProblem(
    Object.entries(value).map(([name, inner]) => {
      if (isRefused(name, 'set')) return refusal(name)
      return SCHEMAS.has(plainName(name)) ? null : valueProblem(inner, depth + 1)
    }),
  )
}

const firstProblem = (problems: readonly (InBoth | null)[]) =>
  problems.find((problem) => problem !== null) ?? null

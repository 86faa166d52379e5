import { isDeepStrictEqual } from 'node:util'
import {
  firstProblem,
  isOptionKey,
  type OptionKey,
  type OptionValues,
  parseOption,
} from '@tollgate/contract'
import { ratiosWith } from '../../domain/own-price.ts'
import type { Difference, FieldChange, PlanPart } from './difference.ts'
import { type Fault, type Path, pathText } from './fault.ts'
import {
  type ConfigFile,
  type FileGroup,
  GROUP_TABLES,
  isSecretInFile,
  TOKEN_LIMITS,
  USER_LIMITS,
} from './file-schema.ts'
import type { Installation } from './installation.ts'
import { filePrice, storedRatios, tableRatios } from './own-prices.ts'
import { resolveText } from './references.ts'

export type ValuesPlan = PlanPart & {
  /** Every option, with the values of the file. */
  readonly after: OptionValues
}

export function planValues(
  file: ConfigFile,
  { values, planned }: Installation,
  env: NodeJS.ProcessEnv,
): ValuesPlan {
  const options = planOptions(file, values, env)
  const groups = planGroups(file, options.after)
  const prices = planPrices(file, groups.after, planned)
  return {
    differences: [...options.differences, ...groups.differences, ...prices.differences],
    faults: options.faults,
    missing: options.missing,
    after: prices.after,
  }
}

type WantedOption = { readonly key: OptionKey; readonly path: Path; readonly value: unknown }

export function wantedOptions({ options, limits }: ConfigFile): WantedOption[] {
  const own = Object.entries(options).flatMap(([key, value]) =>
    isOptionKey(key) && value !== undefined ? [{ key, path: ['options', key], value }] : [],
  )
  const tables = { user: USER_LIMITS, token: TOKEN_LIMITS } as const
  const limited = (['user', 'token'] as const).flatMap((scope) =>
    // Safe because these are the entries of that very object.
    (Object.entries(tables[scope]) as [keyof typeof USER_LIMITS, OptionKey][]).flatMap(
      ([name, key]) => {
        const value = limits[scope]?.[name]
        return value === undefined ? [] : [{ key, path: ['limits', scope, name], value }]
      },
    ),
  )
  return [...own, ...limited]
}

function planOptions(file: ConfigFile, before: OptionValues, env: NodeJS.ProcessEnv): ValuesPlan {
  const differences: Difference[] = []
  const faults: Fault[] = []
  const missing: Fault[] = []
  const after: Record<string, unknown> = { ...before }
  for (const { key, path, value } of wantedOptions(file)) {
    const isSecret = isSecretInFile(key)
    const found = isSecret ? secretOf(key, String(value), env) : { value }
    if ('missing' in found) missing.push({ path, problem: found.missing })
    else if ('problem' in found) faults.push({ path, problem: found.problem })
    else if (!isDeepStrictEqual(found.value, before[key])) {
      after[key] = found.value
      const change: FieldChange = isSecret
        ? { field: '', isSecret }
        : { field: '', before: before[key], after: found.value }
      differences.push({ kind: 'option', name: pathText(path), action: 'update', fields: [change] })
    }
  }
  // Safe because the schema of each option made its value.
  return { differences, faults, missing, after: after as OptionValues }
}

function secretOf(key: OptionKey, text: string, env: NodeJS.ProcessEnv) {
  const found = resolveText(text, env)
  if ('missing' in found) return found
  const parsed = parseOption(key, found.value)
  return parsed.success
    ? { value: parsed.data }
    : { problem: firstProblem(parsed.error, 'en').problem }
}

/** Safe because these are the entries of that very object. */
const GROUP_FIELDS = Object.entries(GROUP_TABLES) as [
  keyof FileGroup,
  (typeof GROUP_TABLES)[keyof typeof GROUP_TABLES],
][]

function planGroups({ groups }: ConfigFile, before: OptionValues) {
  const after = { ...before }
  for (const [, table] of GROUP_FIELDS) after[table] = { ...before[table] }
  const differences = Object.entries(groups).flatMap(([name, wantedGroup]): Difference[] => {
    const fields = GROUP_FIELDS.flatMap(([field, table]): FieldChange[] => {
      const [old, wanted] = [before[table][name], wantedGroup[field]]
      if (old === wanted) return []
      const others = Object.entries(after[table]).filter(([group]) => group !== name)
      const own = wanted === undefined ? [] : [[name, wanted] as const]
      after[table] = Object.fromEntries([...others, ...own])
      return [{ field, before: old, after: wanted }]
    })
    const action = Object.hasOwn(before.GroupRatio, name) ? 'update' : 'create'
    return fields.length === 0 ? [] : [{ kind: 'group', name, action, fields }]
  })
  return { differences, after }
}

function planPrices(
  { prices }: ConfigFile,
  before: OptionValues,
  planned: Installation['planned'],
) {
  let after = before
  const differences = Object.entries(prices).flatMap(([model, price]): Difference[] => {
    const stored = storedRatios(model, before)
    const wanted = tableRatios(price, before.QuotaPerUnit)
    const fields: FieldChange[] = []
    if (!isDeepStrictEqual(stored, wanted)) {
      after = { ...after, ...Object.fromEntries(ratiosWith(after, model, wanted)) }
      const old = filePrice(stored, before.QuotaPerUnit) ?? undefined
      fields.push({ field: '', before: old, after: price })
    }
    // A price that begins later would replace the price of the file.
    const days = planned.get(model)
    if (days !== undefined) fields.push({ field: 'planned', before: days })
    const action = Object.keys(stored).length === 0 ? 'create' : 'update'
    return fields.length === 0 ? [] : [{ kind: 'price', name: model, action, fields }]
  })
  return { differences, after }
}

import type { Language } from '@tollgate/contract'
import { settingsProblem } from '@tollgate/contract/channel-settings'
import { takesParameters } from '@tollgate/relay/catalogue'
import type { MessageKey } from '../../i18n/types.ts'
import { type HeaderRow, objectIn, type OverrideValues } from './channel-overrides.ts'

/* Rules that only a form with such settings needs; it loads them with the fields. */

/** An invalid field: its path in the form, and the message under it. */
export type OverrideProblem = {
  path: (string | number)[]
  key: MessageKey
}

type TextName = 'set_parameters' | 'remove_parameters' | 'card' | 'cost'

/** The rule of the contract that a field breaks; null for none. */
export function ruleBrokenBy(
  name: TextName,
  values: OverrideValues,
  language: Language,
): string | null {
  const json = name === 'remove_parameters' ? values[name] : objectIn(values[name])
  if (json === null) return null
  const own = settingsProblem({ [name]: json })
  const others = { remove_parameters: values.remove_parameters }
  const found =
    own ?? (name === 'set_parameters' ? settingsProblem({ ...others, [name]: json }) : null)
  if (found === null || !found.field.startsWith(name)) return null
  const path = found.field.slice(name.length + 1)
  const shown = name === 'remove_parameters' ? (values[name][Number(path)] ?? path) : path
  const problem = found.problem[language]
  return shown === '' ? problem : `${shown}${language === 'zh' ? '：' : ': '}${problem}`
}

export function headerProblem({ name, value }: HeaderRow, language: Language): string | null {
  return settingsProblem({ headers: { [name]: value } })?.problem[language] ?? null
}

export function overrideProblems(values: OverrideValues & { type: number }): OverrideProblem[] {
  return [
    ...headerProblems(values.headers),
    ...parameterProblems(values),
    ...textProblems('card', values),
    ...textProblems('cost', values),
  ]
}

function headerProblems(rows: readonly HeaderRow[]): OverrideProblem[] {
  const names = rows.map(({ name }) => name.toLowerCase())
  return rows.flatMap((row, index): OverrideProblem[] => {
    const { name, value } = row
    if (name === '' && value === '') return []
    const at = (field: keyof HeaderRow) => ['headers', index, field]
    if (value === '') return [{ path: at('value'), key: 'advanced.field.headerValueMissing' }]
    if (names.indexOf(name.toLowerCase()) < index)
      return [{ path: at('name'), key: 'advanced.field.headerTwice' }]
    const problem = settingsProblem({ headers: { [name]: 'x' } })
    if (problem !== null) return [{ path: at('name'), key: 'advanced.field.ruleBroken' }]
    return headerProblem(row, 'en') === null
      ? []
      : [{ path: at('value'), key: 'advanced.field.ruleBroken' }]
  })
}

function parameterProblems(values: OverrideValues & { type: number }): OverrideProblem[] {
  return (['set_parameters', 'remove_parameters'] as const).flatMap((name): OverrideProblem[] => {
    const isUsed = values[name].length > 0
    if (isUsed && !takesParameters(values.type))
      return [{ path: [name], key: 'advanced.field.parametersUnsupported' }]
    return textProblems(name, values)
  })
}

function textProblems(name: TextName, values: OverrideValues): OverrideProblem[] {
  const text = values[name]
  if (typeof text === 'string' && objectIn(text) === null)
    return [{ path: [name], key: 'advanced.field.notJson' }]
  return ruleBrokenBy(name, values, 'en') === null
    ? []
    : [{ path: [name], key: 'advanced.field.ruleBroken' }]
}

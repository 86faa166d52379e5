import { UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { foldName } from '../../json-members.ts'
import { member } from '../../json-value.ts'
import { memoize } from '../../memoize.ts'

/** A member by its name, which may be in snake case too (fact sheet 04-google-gemini); null is as good as none. */
export function given(value: unknown, name: string): unknown {
  return member(value, name) ?? member(value, snakeCase(name)) ?? undefined
}

/** The same for both spellings of a name. */
export const plainName = (name: string) => foldName(name).replaceAll('_', '')

export const snakeCase = memoize((name) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
)

/** The items of a list; none where it is not given. Throws `Untranslatable` for anything else. */
export function listGiven(value: unknown, name: string, path = name): unknown[] {
  const list = given(value, name) ?? []
  if (Array.isArray(list)) return list
  throw refused(path, 'must be a list.')
}

/** For the first thing that is wrong, or that cannot be said in OpenAI's form. */
export const refused = (param: string, rule: string) =>
  new UnsupportedParameterError(`'${param}' ${rule}`, param)

import {
  AppError,
  hostnameOf,
  isOptionKey,
  type Language,
  type OptionKey,
  optionKeys,
  OPTIONS,
  type OptionValues,
} from '@tollgate/contract'
import { titleOf } from './present-option.ts'

type Change = { key: OptionKey; before: OptionValues; after: OptionValues }

/**
 * Checks that every option in use has the options it needs. Throws `option_needs`, `option_needed`
 * or `console_host_shared` for a change that breaks this.
 */
export function requireNeeds({ key, before, after }: Change, language: Language) {
  requireOwnHost(key, after)
  const missing = missingFor(key, after)
  if (missing.length > 0) {
    const needed = missing.map((name) => titleOf(name, language))
    throw new AppError('option_needs', {
      key: titleOf(key, language),
      needed: needed.join(language === 'zh' ? '、' : ', '),
    })
  }
  const broken = optionKeys.find(
    (name) => missingFor(name, after).length > 0 && missingFor(name, before).length === 0,
  )
  if (broken === undefined) return
  throw new AppError('option_needed', {
    key: titleOf(key, language),
    by: titleOf(broken, language),
  })
}

/** On a shared host the console would refuse every relay request. */
function requireOwnHost(key: OptionKey, { ConsoleAddress, ServerAddress }: OptionValues) {
  if (key !== 'ConsoleAddress' && key !== 'ServerAddress') return
  const host = hostnameOf(ConsoleAddress)
  if (host !== '' && host === hostnameOf(ServerAddress)) throw new AppError('console_host_shared')
}

/** Options that an option in use lacks, for the alternative that lacks the fewest. */
function missingFor(key: OptionKey, values: OptionValues): OptionKey[] {
  const { needs } = OPTIONS[key]
  if (needs === undefined || values[key] === false || values[key] === '') return []
  const lacking = needs.map((list) =>
    list.filter(isOptionKey).filter((name) => values[name] === ''),
  )
  return lacking.reduce((shortest, list) => (list.length < shortest.length ? list : shortest))
}

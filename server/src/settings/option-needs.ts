import {
  AppError,
  isOptionKey,
  type Language,
  type OptionKey,
  OPTIONS,
  type OptionValues,
} from '@tollgate/contract'
import { optionKeys, titleOf } from './option-text.ts'

type Change = { key: OptionKey; before: OptionValues; after: OptionValues }

/** A switch that is on has what it needs; throws `option_needs` or `option_needed` of a change that breaks that. */
export function requireNeeds({ key, before, after }: Change, language: Language) {
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

/** What a switch that is on lacks: of its lists the one that lacks least. */
function missingFor(key: OptionKey, values: OptionValues): OptionKey[] {
  const { needs } = OPTIONS[key]
  if (needs === undefined || values[key] !== true) return []
  const lacking = needs.map((list) =>
    list.filter(isOptionKey).filter((name) => values[name] === ''),
  )
  return lacking.reduce((least, list) => (list.length < least.length ? list : least))
}

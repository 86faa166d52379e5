import {
  AppError,
  isOptionKey,
  type Language,
  type OptionKey,
  optionKeys,
  OPTIONS,
  type OptionValues,
} from '@tollgate/contract'
import type { Tx } from '../store/database.ts'
import { findLastOptionChange } from '../store/options.ts'
import { titleOf } from './present-option.ts'

type Change = { key: OptionKey; before: OptionValues; after: OptionValues }

/**
 * Requires a secret to be entered again when its destination changes, unless the same person
 * entered it. Otherwise an administrator could have the secret sent to a machine of their own.
 * Throws `secret_needed_again`.
 */
export async function requireSameDestination(
  tx: Tx,
  { key, before, after }: Change,
  { actor, language }: { actor: { id: number }; language: Language },
) {
  for (const secret of optionKeys) {
    const { sentTo = [] } = OPTIONS[secret]
    if (!sentTo.includes(key) || before[secret] === '') continue
    if (serverOf(before[key]) === serverOf(after[key])) continue
    // Without any destination the secret is not sent.
    if (sentTo.filter(isOptionKey).every((name) => after[name] === '')) continue
    const entered = await findLastOptionChange(tx, secret)
    if (entered?.actor_id === actor.id) continue
    throw new AppError('secret_needed_again', {
      key: titleOf(secret, language),
      by: titleOf(key, language),
    })
  }
}

/** The origin of an address, or the name of a mail server. */
function serverOf(value: unknown): string {
  const text = String(value)
  return /^https?:/i.test(text) && URL.canParse(text) ? new URL(text).origin : text.toLowerCase()
}

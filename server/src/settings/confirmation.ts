import {
  AppError,
  isOptionKey,
  isRoot,
  type OptionKey,
  OPTIONS,
  type OptionValues,
  parseOption,
  type UnconfirmedChange,
} from '@tollgate/contract'
import type { PricedOptions } from '../domain/find-price.ts'
import type { Connections, Tx } from '../store/database.ts'
import { listLastChanges, listUnconfirmedChanges, markConfirmed } from '../store/options.ts'
import { enqueueOnce } from '../store/outbox.ts'
import { IDENTITY_KEYS } from './identity-ways.ts'
import { shownText } from './present-option.ts'

type Change = { key: OptionKey; before: PricedOptions; after: PricedOptions }

type UnconfirmedOption = UnconfirmedChange & { key: OptionKey }

/** All changes within this time share one alert. */
const ALERT_DELAY_SECONDS = 60

/**
 * False if root has to confirm the change. Restoring the last confirmed value needs no
 * confirmation.
 */
export async function isConfirmed(
  tx: Tx,
  { key, before, after }: Change,
  actor: { role: number },
): Promise<boolean> {
  if (OPTIONS[key].identity === undefined || isRoot(actor.role)) return true
  const [unconfirmed] = await listUnconfirmedChanges(tx, [key])
  // A replaced secret is not kept, so its last confirmed value is unknown.
  if (OPTIONS[key].secret) return unconfirmed === undefined && before[key] === after[key]
  return unconfirmed?.before === shownText(key, after)
}

export const alertRoot = (tx: Tx, now: number) =>
  enqueueOnce(tx, { type: 'identity-alert' }, { now, dueAt: now + ALERT_DELAY_SECONDS })

/** Changes that await confirmation by root, oldest first. */
export async function listUnconfirmed(db: Connections['kysely']): Promise<UnconfirmedOption[]> {
  const changes = await listUnconfirmedChanges(db, IDENTITY_KEYS)
  return changes.flatMap(({ key, ...change }) => (isOptionKey(key) ? [{ ...change, key }] : []))
}

/** Replaces values that await confirmation by the last confirmed ones. Secrets stay as they are. */
export function withConfirmed(
  values: OptionValues,
  unconfirmed: readonly UnconfirmedOption[],
): OptionValues {
  const confirmedValues = unconfirmed.flatMap(({ key, before }) => {
    const parsed = OPTIONS[key].secret ? undefined : parseOption(key, before)
    return parsed?.success ? [[key, parsed.data] as const] : []
  })
  return { ...values, ...Object.fromEntries(confirmedValues) }
}

/**
 * Confirms these changes and returns those that were unconfirmed. Throws `option_changed_again` if
 * one of them is no longer the last change of its option, because root would then confirm a value
 * that was never shown.
 */
export async function confirmChanges(
  tx: Tx,
  ids: readonly number[],
  { actor, nowSeconds }: { actor: { username: string }; nowSeconds: number },
): Promise<UnconfirmedOption[]> {
  const last = new Set((await listLastChanges(tx, IDENTITY_KEYS)).map(({ id }) => id))
  if (!ids.every((id) => last.has(id))) throw new AppError('option_changed_again')
  const unconfirmed = (await listUnconfirmed(tx)).filter(({ id }) => ids.includes(id))
  const unconfirmedIds = unconfirmed.map(({ id }) => id)
  if (unconfirmedIds.length > 0) {
    await markConfirmed(tx, unconfirmedIds, { by: actor.username, at: nowSeconds })
  }
  return unconfirmed
}

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
import type { Connections, Tx } from '../store/database.ts'
import { listLastChanges, listUnconfirmedChanges, markConfirmed } from '../store/options.ts'
import { enqueueOnce } from '../store/outbox.ts'
import { IDENTITY_KEYS } from './identity-ways.ts'
import { shownText } from './option-text.ts'

type Change = { key: OptionKey; before: OptionValues; after: OptionValues }

type WaitingChange = UnconfirmedChange & { key: OptionKey }

/** All changes made within this time are in one alert. */
const ALERT_DELAY_SECONDS = 60

/** False if root has to confirm the change. Restoring the last confirmed value needs nobody. */
export async function isConfirmed(
  tx: Tx,
  { key, before, after }: Change,
  actor: { role: number },
): Promise<boolean> {
  if (OPTIONS[key].identity === undefined || isRoot(actor.role)) return true
  const [waiting] = await listUnconfirmedChanges(tx, [key])
  // The last confirmed secret is kept nowhere once it has been replaced.
  if (OPTIONS[key].secret) return waiting === undefined && before[key] === after[key]
  return waiting?.before === shownText(key, after)
}

export const alertRoot = (tx: Tx, now: number) =>
  enqueueOnce(tx, { type: 'identity-alert' }, { now, dueAt: now + ALERT_DELAY_SECONDS })

/** What waits for root, oldest first. */
export async function listWaiting(db: Connections['kysely']): Promise<WaitingChange[]> {
  const changes = await listUnconfirmedChanges(db, IDENTITY_KEYS)
  return changes.flatMap(({ key, ...change }) => (isOptionKey(key) ? [{ ...change, key }] : []))
}

/** The values with what waits put back to what root confirmed last; secrets stay as they are. */
export function withConfirmed(
  values: OptionValues,
  waiting: readonly WaitingChange[],
): OptionValues {
  const former = waiting.flatMap(({ key, before }) => {
    const parsed = OPTIONS[key].secret ? undefined : parseOption(key, before)
    return parsed?.success ? [[key, parsed.data] as const] : []
  })
  return { ...values, ...Object.fromEntries(former) }
}

/**
 * Confirms these changes and returns those that waited. Throws `option_changed_again` when one of
 * them is not the last change of its option: root would confirm a value that was never shown.
 */
export async function confirmChanges(
  tx: Tx,
  ids: readonly number[],
  { actor, nowSeconds }: { actor: { username: string }; nowSeconds: number },
): Promise<WaitingChange[]> {
  const last = new Set((await listLastChanges(tx, IDENTITY_KEYS)).map(({ id }) => id))
  if (!ids.every((id) => last.has(id))) throw new AppError('option_changed_again')
  const waiting = (await listWaiting(tx)).filter(({ id }) => ids.includes(id))
  const waitingIds = waiting.map(({ id }) => id)
  if (waitingIds.length > 0) {
    await markConfirmed(tx, waitingIds, { by: actor.username, at: nowSeconds })
  }
  return waiting
}

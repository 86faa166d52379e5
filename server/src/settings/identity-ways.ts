import {
  AppError,
  type IdentityWay,
  isAdmin,
  type OptionKey,
  optionKeys,
  OPTIONS,
} from '@tollgate/contract'
import type { Connections } from '../store/database.ts'
import { listLastChanges, type OptionWithChange } from '../store/options.ts'
import { titlesOf } from './present-option.ts'

type Db = Connections['kysely']

/**
 * A way to log in. `version` is the last known change of its options at the time its server was
 * asked; absent if no server was asked.
 */
export type UsedWay = { way: IdentityWay; version?: number }

type ByWay<Value> = Readonly<Record<IdentityWay, Value>>

export type WayVersions = ByWay<number>

const byWay = <Value>(valueOf: (way: IdentityWay) => Value): ByWay<Value> => ({
  reset_mail: valueOf('reset_mail'),
  github: valueOf('github'),
  oidc: valueOf('oidc'),
  lark: valueOf('lark'),
  wechat: valueOf('wechat'),
})

const decidingOptions = (way: IdentityWay): OptionKey[] =>
  optionKeys.filter((key) => OPTIONS[key].identity?.includes(way))

const KEYS = byWay(decidingOptions)

/** Every option that controls access to accounts. */
export const IDENTITY_KEYS = optionKeys.filter((key) => OPTIONS[key].identity !== undefined)

/** Change ids increase in the order of the changes. */
export function versionsOf(rows: readonly OptionWithChange[]): WayVersions {
  const changes = new Map<string, number>(rows.map(({ key, change }) => [key, change ?? 0]))
  return byWay((way) => Math.max(...KEYS[way].map((key) => changes.get(key) ?? 0)))
}

/**
 * Why administrators may not use a way now, or null. Root must have confirmed changes made by
 * others, and the settings used must be the current ones. Otherwise a server that was configured
 * for a moment could delay its answer until the old settings are restored.
 */
export async function findIdentityBlock(
  db: Db,
  { way, version = Infinity }: UsedWay,
): Promise<AppError | null> {
  const changes = await listLastChanges(db, KEYS[way])
  const unconfirmed = KEYS[way].filter((key) =>
    changes.some((change) => change.key === key && change.confirmed === 0),
  )
  if (unconfirmed.length > 0)
    return new AppError('identity_unconfirmed', { options: titlesOf(unconfirmed) })
  return changes.every(({ id }) => id <= version) ? null : new AppError('identity_changed')
}

/**
 * Throws the reason why an account of this role may not use the way. Read the role in the same
 * transaction.
 */
export async function requireConfirmedWay(db: Db, used: UsedWay, role: number) {
  if (!isAdmin(role)) return
  const block = await findIdentityBlock(db, used)
  if (block !== null) throw block
}

import { isDeepStrictEqual } from 'node:util'
import { type OptionValues, optionText, type OwnPrice } from '@tollgate/contract'
import type { PriceList } from '@tollgate/contract/prices'
import { tablesWith } from '../domain/own-price.ts'
import { listServingIds } from '../store/abilities.ts'
import type { Database, Tx } from '../store/database.ts'
import { moveGroupUse } from '../store/group-use.ts'
import { lockOptions, readOptions, type StoredOption, writeOption } from '../store/options.ts'
import {
  deletePlannedPrices,
  listPlannedPrices,
  writePlannedPrice,
} from '../store/planned-prices.ts'
import type { Editor } from './editor.ts'
import { type GroupMove, groupTablesAfter } from './move-group.ts'
import { shownChange } from './present-option.ts'
import { readPlannedPrice } from './pricing.ts'
import { record } from './record-change.ts'
import { requireUnlocked, requireUnlockedChannels, requireUnmanaged } from './require-unmanaged.ts'

export type OwnPriceChange = {
  readonly model: string
  readonly price: OwnPrice | null
  /** The day on which it begins, such as `2027-01-01`; absent for now. */
  readonly from?: string | undefined
}

const dayOf = ({ nowSeconds }: Editor) => new Date(nowSeconds * 1000).toISOString().slice(0, 10)

export type OptionTables = Iterable<readonly [key: keyof OptionValues, table: object]>

type Deps = {
  readonly database: Database
  readonly pinned: Partial<OptionValues>
  readonly valuesOf: (rows: StoredOption[]) => OptionValues
  readonly prices: () => PriceList
}

/** Changes of a part of a table, which leave what others have saved meanwhile. */
export function createTableChanges({ database, pinned, valuesOf, prices }: Deps) {
  const writeTables = async (
    tx: Tx,
    tablesAfter: (before: OptionValues) => OptionTables,
    by: Editor,
  ) => {
    const before = { ...valuesOf(await readOptions(tx)), prices: prices() }
    for (const [key, table] of tablesAfter(before)) {
      const after = { ...before, [key]: table }
      const shown = shownChange(key, before, after)
      if (isDeepStrictEqual(before[key], table) || Object.hasOwn(pinned, key)) continue
      if (by.isFile !== true) await requireUnmanaged(tx, { key, before, after })
      await writeOption(tx, { key, value: optionText(table) })
      if (shown !== null) await record(tx, { key, ...shown, confirmed: 1 }, by)
    }
  }
  const change = <Result>(
    by: Editor,
    tablesAfter: (before: OptionValues) => OptionTables,
    work: (tx: Tx) => Promise<Result>,
  ) =>
    database.change(async (tx) => {
      await lockOptions(tx)
      await by.check?.(tx)
      await writeTables(tx, tablesAfter, by)
      return work(tx)
    })
  return {
    writeTables,
    setOwnPrice: ({ model, price, from }: OwnPriceChange, by: Editor) =>
      change(
        by,
        (before) => (from === undefined ? tablesWith(before, model, price) : []),
        async (tx) => {
          await requireUnlocked(tx, 'price', [model])
          if (from !== undefined && price !== null) {
            return writePlannedPrice(tx, { model, from_day: from, price: JSON.stringify(price) })
          }
          return deletePlannedPrices(tx, price === null ? { model } : { model, day: dayOf(by) })
        },
      ),
    writeBegunPrices: async (by: Editor) => {
      for (const { model, from_day, price } of await listPlannedPrices(database.kysely)) {
        if (from_day > dayOf(by)) return
        const own = readPlannedPrice({ model, from_day, price }).price
        await change(
          by,
          (before) => tablesWith(before, model, own),
          (tx) => deletePlannedPrices(tx, { model, day: from_day }),
        )
      }
    },
    moveGroup: (move: GroupMove, by: Editor) =>
      change(
        by,
        (before) => groupTablesAfter(before, move),
        async (tx) => {
          await requireUnlockedChannels(tx, await listServingIds(tx, move.from))
          return moveGroupUse(tx, move.from, move.to)
        },
      ),
  }
}

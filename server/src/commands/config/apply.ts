import { isDeepStrictEqual } from 'node:util'
import {
  AppError,
  errorText,
  type InBoth,
  type OptionKey,
  optionKeys,
  OPTIONS,
  optionText,
  type OptionValues,
} from '@tollgate/contract'
import { prepareChannels } from '../../admin/channels/create-channels.ts'
import { editChannel } from '../../admin/channels/update-channel.ts'
import { OWN_PRICE_TABLES } from '../../domain/own-price.ts'
import type { Editor } from '../../settings/editor.ts'
import { note } from '../../settings/record-change.ts'
import { deleteAbilities } from '../../store/abilities.ts'
import { deleteChannel } from '../../store/channels.ts'
import type { Tx } from '../../store/database.ts'
import { type ManagedObject, writeManaged } from '../../store/managed-objects.ts'
import { lockOptions } from '../../store/options.ts'
import { deletePlannedPrices } from '../../store/planned-prices.ts'
import type { Fault, Path } from './fault.ts'
import type { ConfigFile } from './file-schema.ts'
import { type Installation, readInstallation } from './installation.ts'
import { editorOf, type Target } from './open-target.ts'
import { wantedOptions } from './plan-values.ts'
import { makePlan, managedBy, type Plan } from './plan.ts'
import type { ReadFile } from './read-file.ts'

export type ApplyRules = {
  /** Shown in the console and in errors. */
  readonly name: string
  readonly env: NodeJS.ProcessEnv
  readonly prunes: boolean
  /** Throws to stop before anything is written. */
  readonly confirm: (plan: Plan) => void
}

/** Writes all differences in a single transaction, or none. */
export async function applyFile(
  target: Target,
  { file, report }: ReadFile,
  { name, env, prunes, confirm }: ApplyRules,
): Promise<Plan> {
  const by = await editorOf(target)
  return target.database.change(async (tx) => {
    await lockOptions(tx)
    const installation = await readInstallation(tx, target)
    const plan = makePlan(file, installation, { env, prunes })
    const faults = [...plan.faults, ...plan.missing]
    if (faults.length > 0) report(faults)
    confirm(plan)
    const write: Write = { tx, target, by, file, report }
    await writeOptions(write, installation.values, plan.after)
    await writePrices(write, installation, plan.after)
    const ids = await writeChannels(write, plan)
    if (prunes) for (const { id } of plan.channels.left) await removeChannel(tx, id)
    await writeOwnership(write, { name, installation, objects: managedBy(file, ids) })
    if (plan.differences.length > 0) await note(tx, noteOf(name, plan.differences.length), by)
    return plan
  })
}

type Write = {
  readonly tx: Tx
  readonly target: Target
  readonly by: Editor
  readonly file: ConfigFile
  readonly report: ReadFile['report']
}

async function writeOptions(write: Write, before: OptionValues, after: OptionValues) {
  const { tx, target, by, file } = write
  const named = new Map(wantedOptions(file).map(({ key, path }) => [key, path]))
  const tables: ReadonlySet<OptionKey> = new Set(OWN_PRICE_TABLES)
  const isChanged = (key: OptionKey) => !isDeepStrictEqual(before[key], after[key])
  const changed = optionKeys.filter((key) => !tables.has(key) && isChanged(key))
  // A secret goes to a new server only after it is entered again.
  const entered = [...named.keys()].filter(
    (key) =>
      !changed.includes(key) &&
      OPTIONS[key].sentTo?.some((to) => changed.some((one) => one === to)),
  )
  const { update } = target.settings.within(tx)
  for (const key of inOrder([...entered, ...changed], after)) {
    const path = named.get(key) ?? ['groups']
    await placed(write, path, () => update({ key, value: optionText(after[key]) }, by))
  }
}

/** Switches go off before the options that they need, and on after them. */
function inOrder(keys: readonly OptionKey[], after: OptionValues): OptionKey[] {
  const rankOf = (key: OptionKey) => {
    if (after[key] === false) return 0
    if (OPTIONS[key].secret === true) return 1
    return after[key] === true ? 3 : 2
  }
  return keys.toSorted((one, other) => rankOf(one) - rankOf(other))
}

async function writePrices(
  { tx, target, by, file }: Write,
  { planned }: Installation,
  after: OptionValues,
) {
  const tables = OWN_PRICE_TABLES.map((key) => [key, after[key]] as const)
  await target.settings.within(tx).writeTables(tables, by)
  for (const model of Object.keys(file.prices)) {
    if (planned.has(model)) await deletePlannedPrices(tx, { model })
  }
}

/** Returns the ids by name, those of new channels included. */
async function writeChannels(write: Write, { channels }: Plan): Promise<Map<string, number>> {
  const { tx, target } = write
  const ids = new Map(channels.ids)
  for (const channel of channels.writes) {
    const path = ['channels', channel.index]
    if (channel.action === 'update') {
      await placed(write, path, () => editChannel(tx, target, channel.edit, { isFile: true }))
      continue
    }
    const created = await placed(write, path, () => prepareChannels(target, channel.draft)(tx))
    for (const { id } of created) ids.set(channel.draft.name, id)
  }
  return ids
}

async function removeChannel(tx: Tx, id: number) {
  await deleteChannel(tx, id)
  await deleteAbilities(tx, id)
}

type Ownership = {
  readonly name: string
  readonly installation: Installation
  readonly objects: readonly ManagedObject[]
}

async function writeOwnership(
  { tx, target, by, file }: Write,
  { name, installation, objects }: Ownership,
) {
  const { managed } = installation
  const sorted = (rows: readonly ManagedObject[]) =>
    rows
      .map(({ kind, name: object, channel_id: id }) => JSON.stringify([kind, object, id]))
      .toSorted()
  const isSame =
    managed.file === name &&
    managed.isLocked === file.locked &&
    isDeepStrictEqual(sorted(managed.objects), sorted(objects))
  if (isSame) return
  await writeManaged(tx, target.database.kind, {
    file: name,
    isLocked: file.locked,
    appliedAt: by.nowSeconds,
    objects,
  })
}

/** Errors of the control plane get their place in the file. */
async function placed<Result>(
  { report }: Write,
  path: Path,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const fault: Fault = { path, problem: errorText(error.code, error.params, 'en') }
    return report([fault])
  }
}

const noteOf = (file: string, count: number): InBoth => ({
  en: `Configuration file ${file} applied, with ${count} changes`,
  zh: `已应用配置文件 ${file}，共 ${count} 项更改`,
})

import { z } from 'zod'
import {
  AppError,
  channelDraft,
  channelEdit,
  firstProblem,
  type ImportedChannel,
  type Language,
  parseIn,
} from '@tollgate/contract'
import { listVersions, type ShownChannel } from '../../store/channels.ts'
import type { Tx } from '../../store/database.ts'
import { maskKey, readKeys, type StoredKey, writeKeys } from '../../upstream/channel-keys.ts'
import type { AdminDeps } from '../deps.ts'
import { abilitiesOf } from './abilities-of.ts'
import { ABILITIES_PER_CALL_MAX, prepareChannels } from './create-channels.ts'
import { hidePasswords } from './hidden-passwords.ts'
import { parseKeys } from './parse-keys.ts'
import type { FileEntry } from './read-channel-file.ts'
import { editChannel } from './update-channel.ts'

const COLUMNS = [
  ...(['type', 'name', 'status', 'models', 'group', 'base_url', 'other'] as const),
  ...(['model_mapping', 'priority', 'weight', 'config', 'tag'] as const),
] as const

const keysSchema = z.array(z.object({ key: z.string(), enabled: z.boolean().default(true) }))

/** The columns of a channel, without its id and keys. */
const columnsOf = ({ id: _id, key: _key, keys: _keys, ...columns }: FileEntry['fields']) => columns

type Importing = {
  entry: FileEntry
  old: ShownChannel | undefined
  load: { abilities: number }
  language: Language
}

type Changes = ImportedChannel['changes']

/** Adds or changes a channel. Throws an `AppError` before it has written anything. */
export async function importEntry(
  tx: Tx,
  deps: AdminDeps,
  { entry: { fields, unservedType }, old, load, language }: Importing,
): Promise<Changes> {
  if (unservedType !== null) throw new AppError('channel_type_unserved', { type: unservedType })
  const given = fields['keys']
  const columns = columnsOf(fields)
  const keys = given === undefined ? undefined : parsed(keysSchema, given, { language, at: 'keys' })
  if (old !== undefined) {
    const edit = parsed(channelEdit, { ...differing(columns, old), id: old.id }, { language })
    return change(tx, deps, {
      old,
      edit,
      keys: keys && storedKeys(keys, edit.type ?? old.type),
      load,
    })
  }
  const lines = (keys ?? []).map(({ key }) => key).join('\n')
  if (lines.trim() === '') throw new AppError('channel_key_not_in_file')
  const draft = parsed(channelDraft, { ...columns, key: lines }, { language })
  const served = abilitiesOf(draft)
  count(load, served.groups.length * served.models.length)
  const insert = prepareChannels(deps, draft, writeKeys(storedKeys(keys ?? [], draft.type)))
  await insert(tx)
  return []
}

function parsed<Output>(
  schema: z.ZodType<Output>,
  value: unknown,
  { language, at }: { language: Language; at?: string },
): Output {
  const result = parseIn(schema, value, language)
  if (result.success) return result.data
  const { field, problem } = firstProblem(result.error, language)
  const path = [at, field].filter(Boolean).join('.')
  throw new AppError('invalid_field', { field: path, problem })
}

type Keys = z.output<typeof keysSchema>

function storedKeys(keys: Keys, type: number): StoredKey[] {
  const isEnabled = new Map(keys.map(({ key, enabled }) => [key.trim(), enabled]))
  const lines = parseKeys(keys.map(({ key }) => key).join('\n'), type)
  const stored = lines.map((key) => ({ key, isEnabled: isEnabled.get(key) ?? true }))
  if (!stored.some((key) => key.isEnabled)) throw new AppError('last_key')
  return stored
}

/** Limits what one transaction writes. */
function count(load: Importing['load'], abilities: number) {
  load.abilities += abilities
  if (load.abilities > ABILITIES_PER_CALL_MAX) {
    throw new AppError('too_many_items', { field: 'models', limit: ABILITIES_PER_CALL_MAX })
  }
}

/** Fields that are neither stored like this nor shown like this, where secrets are masked. */
function differing(columns: Readonly<Record<string, unknown>>, old: ShownChannel) {
  const shown = hidePasswords(old)
  return Object.fromEntries(
    COLUMNS.filter(
      (column) =>
        columns[column] !== undefined &&
        columns[column] !== old[column] &&
        columns[column] !== shown[column],
    ).map((column) => [column, columns[column]]),
  )
}

type Change = Pick<Importing, 'load'> & {
  old: ShownChannel
  edit: z.output<typeof channelEdit>
  keys: readonly StoredKey[] | undefined
}

async function change(
  tx: Tx,
  deps: AdminDeps,
  { old, edit, keys, load }: Change,
): Promise<Changes> {
  const [stored] = await listVersions(tx, [old.id])
  if (!stored) throw new AppError('channel_not_found')
  const before = readKeys(deps.secrets.openChannelKey(stored.key_sealed))
  const isSameKeys = keys === undefined || writeKeys(keys) === writeKeys(before)
  if (Object.keys(edit).length === 1 && isSameKeys) return []
  if (edit.models !== undefined || edit.group !== undefined) {
    const { models = old.models, group = old.group } = edit
    const served = abilitiesOf({ models, group })
    count(load, served.groups.length * served.models.length)
  }
  const saved = await editChannel(tx, deps, edit, { keys: isSameKeys ? undefined : keys })
  const [shownBefore, shownAfter] = [hidePasswords(old), hidePasswords(saved)]
  const changes = COLUMNS.filter((column) => saved[column] !== old[column]).map((field) => ({
    field: String(field),
    before: String(shownBefore[field]),
    after: String(shownAfter[field]),
  }))
  if (isSameKeys) return changes
  return [...changes, { field: 'key', before: maskKeys(before), after: maskKeys(keys) }]
}

/** A circle marks a disabled key, in every language. */
const maskKeys = (keys: readonly StoredKey[]) =>
  keys.map(({ key, isEnabled }) => `${isEnabled ? '' : '○ '}${maskKey(key)}`).join(', ')

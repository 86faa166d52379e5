import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { CHANNEL_STATUS, type TestOutcome } from '@tollgate/contract'
import type { Database, Tx } from './database.ts'
import { deleteKeyTests } from './key-tests.ts'
import { containsText, idIn } from './like-prefix.ts'
import { type Page, pageOf, readPage } from './page.ts'
import type { ChannelsTable, Schema } from './schema.ts'
import { storableText } from './storable-text.ts'

type Db = Kysely<Schema>

/** Columns that may leave the server; the key is not among them. */
const SHOWN = [
  'id',
  'type',
  'status',
  'status_reason',
  'status_time',
  'name',
  'weight',
  'created_time',
  'test_time',
  'response_time',
  'test_error',
  'test_outcome',
  'test_model',
  'test_endpoint',
  'base_url',
  'other',
  'balance',
  'balance_updated_time',
  'models',
  'group',
  'tag',
  'used_quota',
  'model_mapping',
  'priority',
  'config',
] as const

const shown = (db: Db) => db.selectFrom('channels').select(SHOWN)

/** An empty list matches every value. */
export type ChannelFilter = {
  status: readonly number[]
  type: readonly number[]
  /** Empty for any. */
  group: string
  model: string
  tag: string
}

const filtered = (db: Db, { status, type, group, model, tag }: ChannelFilter) =>
  shown(db)
    .$if(group !== '' || model !== '', (query) =>
      query.where('id', 'in', servingIds(db, { group, model })),
    )
    .$if(tag !== '', (query) => query.where('tag', '=', tag))
    .$if(status.length > 0, (query) => query.where('status', 'in', status))
    .$if(type.length > 0, (query) => query.where('type', 'in', type))

const servingIds = (db: Db, { group, model }: Pick<ChannelFilter, 'group' | 'model'>) =>
  db
    .selectFrom('abilities')
    .select('channel_id')
    .$if(group !== '', (query) => query.where('group', '=', group))
    .$if(model !== '', (query) => query.where('model', '=', model))

export const listChannels = (db: Db, page: Page & ChannelFilter) =>
  readPage(db, filtered(db, page), page)

/** Channels that are sorted or filtered by what SQL does not know. */
const ALL_ROWS_MAX = 10_000

export type ChannelSearch = {
  keyword: string
  size?: number | undefined
  /** A column; by default the id. */
  sort?: string | undefined
  order?: 'asc' | 'desc'
  before?: number | undefined
}

/** Matches an exact id, or a part of name, tag, a model, a group or the address, in any case. */
export async function searchChannels(
  db: Db,
  {
    keyword,
    size = ALL_ROWS_MAX,
    sort = 'id',
    order = 'desc',
    before,
    ...filter
  }: ChannelFilter & ChannelSearch,
) {
  const matching = filtered(db, filter).$if(keyword !== '', (query) =>
    query.where((eb) =>
      eb.or([
        eb('id', '=', idIn(keyword)),
        containsText(['name', 'models', 'group', 'tag'], keyword),
        // A search would reveal the hidden secrets of an address part by part.
        eb.and([
          eb('base_url', 'not like', '%@%'),
          eb('base_url', 'not like', '%?%'),
          containsText(['base_url'], keyword),
        ]),
      ]),
    ),
  )
  return pageOf(matching, { p: 0, size, sort, order, before }).execute()
}

export type ShownChannel = Awaited<ReturnType<typeof searchChannels>>[number]

/** What the gateway's health of these channels is found by. */
export async function listVersions(db: Db, ids: readonly number[]) {
  if (ids.length === 0) return []
  return db
    .selectFrom('channels')
    .select(['id', 'key_sealed', 'base_url', 'status_time'])
    .where('id', 'in', ids)
    .execute()
}

/** Distinct models, or groups, of all channels. */
export async function listServed(db: Db, column: 'model' | 'group'): Promise<string[]> {
  const rows = await db.selectFrom('abilities').select(`${column} as name`).distinct().execute()
  // Databases order names by rules of their own.
  return rows.map(({ name }) => name).toSorted()
}

export async function listTags(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('channels')
    .select('tag')
    .distinct()
    .where('tag', '<>', '')
    .execute()
  return rows.map(({ tag }) => tag).toSorted()
}

/** What a configuration file may manage, with the sealed keys. */
export const listConfiguredChannels = (db: Db) =>
  db
    .selectFrom('channels')
    .select(['id', 'type', 'name', 'status', 'key_sealed', 'base_url', 'other', 'models', 'group'])
    .select(['model_mapping', 'priority', 'weight', 'config', 'tag'])
    .orderBy('id')
    .execute()

export type ConfiguredChannel = Awaited<ReturnType<typeof listConfiguredChannels>>[number]

export async function findChannel(db: Db, id: number) {
  return shown(db).where('id', '=', id).executeTakeFirst()
}

/** For files; includes the sealed key. */
export const listChannelsWithKeys = (db: Db) =>
  db
    .selectFrom('channels')
    .select(['id', 'type', 'name', 'status', 'models', 'group', 'base_url', 'other'])
    .select(['model_mapping', 'priority', 'weight', 'config', 'tag', 'key_sealed'])
    .orderBy('id')
    .execute()

export const listChannelNames = (db: Db) =>
  db.selectFrom('channels').select(['id', 'name']).orderBy('id').execute()

/** Deleted channels are missing from the map. */
export async function findChannelNames(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('channels')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function lockChannel(tx: Tx, kind: Database['kind'], id: number) {
  return shown(tx)
    .where('id', '=', id)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
}

/** Includes the sealed key, for a request to the provider. */
export async function findChannelToProbe(db: Db, id: number) {
  return db
    .selectFrom('channels')
    .select(['id', 'type', 'name', 'status', 'key_sealed', 'base_url', 'other', 'config'])
    .select(['models', 'model_mapping', 'response_time', 'status_time'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Without `types`, channels of every type. */
export async function listChannelIds(
  db: Db,
  { statuses, types }: { statuses: readonly number[]; types?: readonly number[] },
): Promise<number[]> {
  const rows = await db
    .selectFrom('channels')
    .select('id')
    .where('status', 'in', statuses)
    .$if(types !== undefined, (query) => query.where('type', 'in', types ?? []))
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Enabled channels of these types whose balance was last read before, oldest first. */
export async function listChannelsReadBefore(
  db: Db,
  { types, before }: { types: readonly number[]; before: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('channels')
    .select('id')
    .where('status', '=', CHANNEL_STATUS.enabled)
    .where('type', 'in', types)
    .where('balance_updated_time', '<', before)
    .orderBy('balance_updated_time')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Auto-disabled channels, least recently tested first. */
export async function listChannelsOff(db: Db) {
  return db
    .selectFrom('channels')
    .select(['id', 'status_time', 'test_time'])
    .where('status', '=', CHANNEL_STATUS.autoDisabled)
    .orderBy('test_time')
    .execute()
}

/** Claims a scheduled test, so that only one of several nodes performs it. */
export async function claimTest(
  db: Db,
  { id, test_time }: { id: number; test_time: number },
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('channels')
    .set({ test_time: now })
    .where('id', '=', id)
    .where('test_time', '=', test_time)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export type NewChannel = Omit<Insertable<ChannelsTable>, 'id'>

export async function insertChannel(tx: Tx, channel: NewChannel): Promise<number> {
  const { id } = await tx
    .insertInto('channels')
    .values(channel)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Keys such as `sk-…-7` name a channel by its number, so an imported channel keeps it. */
export async function insertChannelWithId(tx: Tx, channel: NewChannel & { id: number }) {
  await tx.insertInto('channels').values(channel).execute()
}

export type ChannelChange = Omit<Updateable<ChannelsTable>, 'id' | 'used_quota'>

export async function updateChannel(db: Db, id: number, change: ChannelChange) {
  if (Object.keys(change).length === 0) return
  await db.updateTable('channels').set(change).where('id', '=', id).execute()
}

const TEST_ERROR_LENGTH_MAX = 500

type NotedTest = {
  outcome: TestOutcome
  milliseconds: number
  message: string
  model: string
  endpoint: string
}

/**
 * Records a test result. A failed test keeps the response time of the last passed test. Does
 * nothing if the channel's type, key, address or config has changed since the test began.
 */
export async function noteTest(
  db: Db,
  tested: Pick<Selectable<ChannelsTable>, 'id' | 'type' | 'key_sealed' | 'base_url' | 'config'>,
  { outcome, milliseconds, message, model, endpoint }: NotedTest,
  now: number,
) {
  const result =
    outcome === 'passed'
      ? { response_time: Math.max(1, milliseconds), test_error: '' }
      : { test_error: storableText(message, TEST_ERROR_LENGTH_MAX) }
  const asked = { test_outcome: outcome, test_model: model, test_endpoint: endpoint }
  await db
    .updateTable('channels')
    .set({ test_time: now, ...asked, ...result })
    .where('id', '=', tested.id)
    .where('type', '=', tested.type)
    .where('key_sealed', '=', tested.key_sealed)
    .where('base_url', '=', tested.base_url)
    .where('config', '=', tested.config)
    .execute()
}

/** False if the channel does not exist. */
export async function deleteChannel(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('channels')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await deleteKeyTests(tx, [id])
  return numDeletedRows > 0n
}

/** Deletes the channels that have one of the statuses and returns their ids. */
export async function deleteChannelsIn(
  tx: Tx,
  { statuses, except }: { statuses: readonly number[]; except: readonly number[] },
): Promise<number[]> {
  const rows = await tx
    .deleteFrom('channels')
    .where('status', 'in', statuses)
    .$if(except.length > 0, (query) => query.where('id', 'not in', except))
    .returning('id')
    .execute()
  const ids = rows.map(({ id }) => id)
  await deleteKeyTests(tx, ids)
  return ids
}

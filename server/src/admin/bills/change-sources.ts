import type { z } from 'zod'
import { AppError, type billSourceDraft, type InBoth, LOG_TYPE } from '@tollgate/contract'
import {
  deleteSource,
  findSource,
  insertSource,
  type StoredSource,
  updateSource,
} from '../../store/bill-sources.ts'
import type { Tx } from '../../store/database.ts'
import { isUniqueViolation } from '../../store/failures.ts'
import { insertNote } from '../../store/logs.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'

type Draft = z.output<typeof billSourceDraft>

export async function createSource(
  deps: AdminDeps,
  context: CallerContext,
  draft: Draft,
): Promise<StoredSource> {
  requireAddress(draft)
  return change(deps, context, async (tx) => {
    const { key, ...fields } = draft
    const id = await insertSource(tx, {
      ...storedFields(fields),
      key_sealed: key === '' ? '' : deps.secrets.sealOption(key),
      created_at: nowSeconds(deps),
    })
    await note(tx, deps, context, noteOf('created', draft.name))
    return requireSource(tx, id)
  })
}

/** A stored key is never sent to another server than the one it was entered for. */
export async function editSource(
  deps: AdminDeps,
  context: CallerContext,
  { id, key, ...fields }: Draft & { id: number },
): Promise<StoredSource> {
  requireAddress(fields)
  return change(deps, context, async (tx) => {
    const before = await requireSource(tx, id)
    const moved = (['url', 'kind'] as const).find((field) => before[field] !== fields[field])
    if (moved !== undefined && key === '' && before.key_sealed !== '') {
      throw new AppError('secret_needed_again', { key: 'key', by: moved })
    }
    const sealed = key === '' ? {} : { key_sealed: deps.secrets.sealOption(key) }
    await updateSource(tx, id, { ...storedFields(fields), ...sealed })
    await note(tx, deps, context, noteOf('changed', fields.name))
    return requireSource(tx, id)
  })
}

export async function removeSource(deps: AdminDeps, context: CallerContext, id: number) {
  await change(deps, context, async (tx) => {
    const { name } = await requireSource(tx, id)
    await deleteSource(tx, id)
    await note(tx, deps, context, noteOf('deleted', name))
  })
}

/** Another gateway has no address of its own that everybody knows. */
function requireAddress({ kind, url }: Pick<Draft, 'kind' | 'url'>) {
  if (kind === 'gateway' && url === '') throw new AppError('field_missing', { field: 'url' })
}

const storedFields = ({ channels, aliases, keys, ...fields }: Omit<Draft, 'key'>) => ({
  ...fields,
  channels: JSON.stringify([...new Set(channels)]),
  aliases: JSON.stringify(aliases),
  keys: JSON.stringify(keys),
})

export async function requireSource(
  db: AdminDeps['database']['kysely'],
  id: number,
): Promise<StoredSource> {
  const source = await findSource(db, id)
  if (source === undefined) throw new AppError('bill_source_not_found')
  return source
}

async function change<Result>(
  deps: AdminDeps,
  context: CallerContext,
  run: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  try {
    return await deps.database.transaction(async (tx) => {
      await reauthorize(tx, deps, context)
      return run(tx)
    })
  } catch (error) {
    throw isUniqueViolation(error) ? new AppError('bill_name_taken') : error
  }
}

const note = (tx: Tx, deps: AdminDeps, { caller }: CallerContext, content: InBoth) =>
  insertNote(tx, {
    user_id: caller.id,
    username: caller.username,
    type: LOG_TYPE.manage,
    content,
    created_at: nowSeconds(deps),
  })

const EVENTS = {
  created: { en: 'created', zh: '已添加' },
  changed: { en: 'changed', zh: '已修改' },
  deleted: { en: 'deleted', zh: '已删除' },
} as const

const noteOf = (event: keyof typeof EVENTS, name: string): InBoth => ({
  en: `Bill source "${name}" ${EVENTS[event].en}`,
  zh: `账单来源“${name}”${EVENTS[event].zh}`,
})

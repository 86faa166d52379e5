import type { z } from 'zod'
import { AppError, type InBoth, LOG_TYPE, type priceFeedDraft } from '@tollgate/contract'
import { applyFeed } from '../../settings/price-feeds/feed-changes.ts'
import { pullFeed } from '../../settings/price-feeds/pull-feed.ts'
import type { Tx } from '../../store/database.ts'
import { isUniqueViolation } from '../../store/failures.ts'
import { insertNote } from '../../store/logs.ts'
import {
  deleteFeed,
  findFeed,
  insertFeed,
  type StoredFeed,
  updateFeed,
} from '../../store/price-feeds.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize, reauthorizeNow } from '../reauthorize.ts'

type Draft = z.output<typeof priceFeedDraft>

export async function createFeed(
  deps: AdminDeps,
  context: CallerContext,
  draft: Draft,
): Promise<StoredFeed> {
  return change(deps, context, async (tx) => {
    const id = await insertFeed(tx, { ...draft, created_at: nowSeconds(deps) })
    await note(tx, deps, context, noteOf('created', draft.name))
    return requireFeed(tx, id)
  })
}

/** Another address or kind is another list, so the list that was read before is dropped. */
export async function editFeed(
  deps: AdminDeps,
  context: CallerContext,
  { id, ...draft }: Draft & { id: number },
): Promise<StoredFeed> {
  return change(deps, context, async (tx) => {
    const before = await requireFeed(tx, id)
    const isSameList = (['url', 'kind', 'key_group'] as const).every(
      (field) => before[field] === draft[field],
    )
    const reset = isSameList ? {} : { content: '', models: 0, problems: 0, asked_at: 0, read_at: 0 }
    await updateFeed(tx, id, { ...draft, ...reset })
    await note(tx, deps, context, noteOf('changed', draft.name))
    return requireFeed(tx, id)
  })
}

export async function removeFeed(deps: AdminDeps, context: CallerContext, id: number) {
  await change(deps, context, async (tx) => {
    const { name } = await requireFeed(tx, id)
    await deleteFeed(tx, id)
    await note(tx, deps, context, noteOf('deleted', name))
  })
}

/** Reads the feed's address, or a file in its form. */
export async function pullNow(
  deps: AdminDeps,
  context: CallerContext,
  { id, content }: { id: number; content: string },
): Promise<StoredFeed> {
  await reauthorizeNow(deps, context)
  const feed = await requireFeed(deps.database.kysely, id)
  const given = content === '' ? {} : { given: parsed(content) }
  if (content === '' && feed.url === '') throw new AppError('field_missing', { field: 'content' })
  await pullFeed(deps, feed, { ...given, isScheduled: false })
  return requireFeed(deps.database.kysely, id)
}

/** Null is not the form of any feed. */
function parsed(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return null
  }
}

export async function applyPriceChanges(
  deps: AdminDeps,
  context: CallerContext,
  { id, read_at, models }: { id: number; read_at: number; models: readonly string[] },
): Promise<number> {
  return change(deps, context, async (tx) => {
    const feed = await requireFeed(tx, id)
    if (feed.read_at !== read_at) throw new AppError('feed_changed_again')
    const distinct = [...new Set(models)]
    const count = await applyFeed(tx, feed, { models: distinct, now: nowSeconds(deps) })
    await note(tx, deps, context, appliedNote(feed.name, distinct))
    return count
  })
}

async function requireFeed(db: AdminDeps['database']['kysely'], id: number): Promise<StoredFeed> {
  const feed = await findFeed(db, id)
  if (feed === undefined) throw new AppError('feed_not_found')
  return feed
}

async function change<Result>(
  deps: AdminDeps,
  context: CallerContext,
  run: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  try {
    return await deps.database.change(async (tx) => {
      await reauthorize(tx, deps, context)
      return run(tx)
    })
  } catch (error) {
    throw isUniqueViolation(error) ? new AppError('feed_name_taken') : error
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
  en: `Price feed "${name}" ${EVENTS[event].en}`,
  zh: `价格源“${name}”${EVENTS[event].zh}`,
})

const NAMES_NOTED = 5

function appliedNote(name: string, models: readonly string[]): InBoth {
  const some = models.slice(0, NAMES_NOTED).join(', ')
  const names = models.length > NAMES_NOTED ? `${some} …` : some
  return {
    en: `Prices of ${models.length} models applied from the feed "${name}": ${names}`,
    zh: `已应用价格源“${name}”中 ${models.length} 个模型的价格：${names}`,
  }
}

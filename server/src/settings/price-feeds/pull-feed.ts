import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { InBoth, Language, PriceChangeKind } from '@tollgate/contract'
import type { FeedPrices } from '../../domain/price-feeds/feed-price.ts'
import { isFeedKind, readFeed } from '../../domain/price-feeds/read-feed.ts'
import type { Tx } from '../../store/database.ts'
import { enqueue } from '../../store/outbox.ts'
import { type FeedState, findFeed, updateFeed } from '../../store/price-feeds.ts'
import { applyFeed, type FeedChange, type FeedDeps, listFeedChanges } from './feed-changes.ts'
import { contentText } from './feed-content.ts'

/** Fetches JSON from an address outside; throws an error with a message for the operator. */
type FetchJson = (question: {
  method: 'GET'
  url: string
}) => Promise<{ status: number; json: unknown }>

export type PullDeps = FeedDeps & { readonly fetchJson: FetchJson }

/** Reads the list that the feed's address returns, or `given`. The last usable list stays. */
export async function pullFeed(
  deps: PullDeps,
  feed: FeedState,
  { given, isScheduled }: { given?: unknown; isScheduled: boolean },
): Promise<void> {
  const now = Math.floor(deps.now() / 1000)
  const read = given === undefined ? await fetchList(deps, feed) : readList(feed, given)
  const outcome = 'problem' in read || !isScheduled ? read : (shrunkList(feed, read) ?? read)
  if ('problem' in outcome) {
    const error = { error: outcome.problem.en, error_zh: outcome.problem.zh }
    await deps.database.transaction(async (tx) => {
      await updateFeed(tx, feed.id, { asked_at: now, ...error })
      await alertOfStaleList(tx, feed, { problem: outcome.problem, now })
    })
    return
  }
  const content = contentText(outcome)
  await deps.database.transaction(async (tx) => {
    const { url = null, kind = null } = (await findFeed(tx, feed.id)) ?? {}
    // Another list was chosen while this one arrived.
    if (url !== feed.url || kind !== feed.kind) return
    await updateFeed(tx, feed.id, {
      content,
      models: outcome.prices.size,
      problems: outcome.problems.size,
      asked_at: now,
      read_at: now,
      error: '',
      error_zh: '',
      stale_alert_at: 0,
    })
  })
  await applyChosenVendors(deps, feed.id, now)
}

type Refused = { readonly problem: InBoth }

async function fetchList({ fetchJson }: PullDeps, feed: FeedState): Promise<FeedPrices | Refused> {
  try {
    const { status, json } = await fetchJson({ method: 'GET', url: feed.url })
    if (status === 200) return readList(feed, json)
    return { problem: { en: `the server answered HTTP ${status}`, zh: `对方返回 HTTP ${status}` } }
  } catch (error) {
    return { problem: reasonOf(error) }
  }
}

/** What a `JsonClientError` tells the operator. */
const reasonSchema = z.object({ en: z.string(), zh: z.string() })

function reasonOf(error: unknown): InBoth {
  if (error instanceof Error && 'reason' in error) {
    const reason = reasonSchema.safeParse(error.reason)
    if (reason.success) return reason.data
  }
  const text = error instanceof Error ? error.message : String(error)
  return { en: text, zh: text }
}

const NO_LIST = {
  en: 'the answer is no price list of this kind, or no price in it is usable',
  zh: '返回内容不是该类型的价格表，或其中没有可用的价格',
}

function readList({ kind, key_group }: FeedState, json: unknown): FeedPrices | Refused {
  const found = isFeedKind(kind) ? readFeed(kind, json, { group: key_group }) : null
  return found ?? { problem: NO_LIST }
}

/** A list that lost more than this share of its prices was cut off. */
const SHARE_KEPT_MIN = 0.95

function shrunkList(feed: FeedState, { prices }: FeedPrices): Refused | null {
  if (prices.size >= feed.models * SHARE_KEPT_MIN) return null
  const [now, before] = [prices.size, feed.models]
  return {
    problem: {
      en: `it has ${now} prices and had ${before}; update it by hand to accept that`,
      zh: `价格从 ${before} 条减至 ${now} 条；如需接受，请手动更新`,
    },
  }
}

const SECONDS_PER_DAY = 86_400

/** Once, until the list can be read again. */
async function alertOfStaleList(
  tx: Tx,
  feed: FeedState,
  { problem, now }: Refused & { readonly now: number },
) {
  const since = feed.read_at || feed.created_at
  if (feed.stale_alert_at > 0 || now - since < feed.stale_days * SECONDS_PER_DAY) return
  await updateFeed(tx, feed.id, { stale_alert_at: now })
  const day = new Date(since * 1000).toISOString().slice(0, 10)
  const last =
    feed.read_at > 0
      ? {
          en: `The last usable list was read on ${day}.`,
          zh: `最近一次读到可用的价格表是在 ${day}。`,
        }
      : {
          en: `No list has been read since the feed was added on ${day}.`,
          zh: `自 ${day} 添加以来未读到价格表。`,
        }
  const texts = {
    detail: `${last.en} Reason: ${problem.en}.`,
    detail_zh: `${last.zh}原因：${problem.zh}。`,
  }
  await enqueue(tx, { type: 'price-alert', event: 'feed_failed', name: feed.name, ...texts }, now)
}

/** Applies what the operator lets apply by itself, and alerts of other changes of sold models. */
async function applyChosenVendors(deps: PullDeps, id: number, now: number) {
  const feed = await findFeed(deps.database.kysely, id)
  if (feed === undefined) return
  const { changes } = await listFeedChanges(deps, feed)
  const automatic = changes.filter((change) => appliesByItself(feed, change))
  if (automatic.length > 0) {
    const models = automatic.map(({ model }) => model)
    await deps.database.change((tx) => applyFeed(tx, feed, { models, now }))
  }
  const others = changes.filter(
    (change) => change.isOffered && !change.isOwn && !automatic.includes(change),
  )
  await alertOfChanges(deps, feed, { changes: others, now })
}

/** A removed price, and a change of more than the limit, need the operator. */
function appliesByItself(feed: FeedState, { vendor, kind, percent }: FeedChange): boolean {
  const vendors = feed.auto_vendors.split(',').map((name) => name.trim())
  const isChosen = vendors.includes('*') || vendors.includes(vendor)
  return isChosen && kind !== 'removed' && percent <= feed.alert_percent
}

const NAMES_SHOWN = 20

const KINDS: Readonly<Record<PriceChangeKind, InBoth>> = {
  new: { en: 'new', zh: '新增' },
  dearer: { en: 'price up', zh: '涨价' },
  cheaper: { en: 'price down', zh: '降价' },
  mixed: { en: 'some prices up, some down', zh: '有涨有降' },
  removed: { en: 'removed', zh: '移除' },
}

function changesText(changes: readonly FeedChange[], language: Language): string {
  const lines = changes.slice(0, NAMES_SHOWN).map(({ model, kind, percent }) => {
    const [colon, comma] = language === 'zh' ? ['：', ' '] : [': ', ', ']
    const what = `${model}${colon}${KINDS[kind][language]}`
    return percent === 0 ? what : `${what}${comma}${percent} %`
  })
  return [...lines, ...(changes.length > NAMES_SHOWN ? ['…'] : [])].join('\n')
}

/** Once for the same changes. */
async function alertOfChanges(
  { database }: PullDeps,
  feed: FeedState,
  { changes, now }: { changes: readonly FeedChange[]; now: number },
) {
  const lines = changes.map(({ model, kind, percent }) =>
    percent === 0 ? `${model}: ${kind}` : `${model}: ${kind}, ${percent} %`,
  )
  const digest = createHash('sha256').update(lines.join('\n')).digest('base64url')
  if (changes.length === 0 || digest === feed.alerted_changes) return
  const texts = { detail: changesText(changes, 'en'), detail_zh: changesText(changes, 'zh') }
  await database.transaction(async (tx) => {
    await updateFeed(tx, feed.id, { alerted_changes: digest })
    await enqueue(
      tx,
      { type: 'price-alert', event: 'feed_changed', name: feed.name, ...texts },
      now,
    )
  })
}

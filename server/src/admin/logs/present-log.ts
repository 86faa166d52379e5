import type { Kysely } from 'kysely'
import {
  type ChargeBasis,
  type AdminLog,
  chargeBasisSchema,
  type Language,
  type Log,
  OUTCOMES,
} from '@tollgate/contract'
import { DEFAULT_PRICE } from '../../domain/find-price.ts'
import { findChannelNames, listChannelNames } from '../../store/channels.ts'
import type { ShownLog } from '../../store/logs.ts'
import type { Schema } from '../../store/schema.ts'

const outcomeOf = (text: string) => OUTCOMES.find((known) => known === text) ?? ''

/** What a row of a list shows of its basis. */
const shownBasisSchema = chargeBasisSchema
  .pick({
    price_version: true,
    model_ratio: true,
    completion_ratio: true,
    group_ratio: true,
    usage_source: true,
  })
  .nullable()
  .catch(null)

type Ratios = Pick<ChargeBasis, 'model_ratio' | 'completion_ratio' | 'group_ratio'>

const RATIOS: Readonly<Record<Language, (ratios: Ratios) => string>> = {
  en: ({ model_ratio, completion_ratio, group_ratio }) =>
    `model ratio ${model_ratio}, completion ratio ${completion_ratio}, group ratio ${group_ratio}`,
  zh: ({ model_ratio, completion_ratio, group_ratio }) =>
    `模型倍率 ${model_ratio}，分组倍率 ${group_ratio}，补全倍率 ${completion_ratio}`,
}

/**
 * The content of a charge is its ratios. Only rows of former releases store it, in English. Error
 * texts stay as sent.
 */
function contentOf(
  { content, content_zh }: Pick<ShownLog, 'content' | 'content_zh'>,
  ratios: Ratios | null,
  language: Language,
): string {
  const stored = language === 'zh' ? content_zh : content
  return stored || (ratios === null ? content : RATIOS[language](ratios))
}

/** Invalid JSON must not hide the rest of the row. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

type ChannelNames = ReadonlyMap<number, string>

const NO_NAMES: ChannelNames = new Map()

/** The names of all channels, for many rows. */
export async function readChannelNames(db: Kysely<Schema>): Promise<ChannelNames> {
  return new Map((await listChannelNames(db)).map(({ id, name }) => [id, name]))
}

/** Rows as administrators see them. */
export async function presentLogs(
  db: Kysely<Schema>,
  rows: readonly ShownLog[],
  language: Language,
): Promise<AdminLog[]> {
  const ids = rows.map(({ channel }) => channel).filter((id) => id !== 0)
  const channelNames = await findChannelNames(db, [...new Set(ids)])
  return rows.map((row) => presentLog(row, { language, channelNames }))
}

/** A row as administrators see it, in the reader's language. */
export function presentLog(
  { content_zh, basis, ...row }: ShownLog,
  { language, channelNames }: { language: Language; channelNames: ChannelNames },
): AdminLog {
  const charge = basis === '' ? null : shownBasisSchema.parse(readJson(basis))
  return {
    ...row,
    channel_name: channelNames.get(row.channel) ?? '',
    content: contentOf({ content: row.content, content_zh }, charge, language),
    request_id: row.request_id ?? '',
    is_stream: row.is_stream === 1,
    outcome: outcomeOf(row.outcome),
    usage_source: charge?.usage_source ?? '',
    default_price: charge?.price_version === DEFAULT_PRICE,
  }
}

/** A user's own row, without the serving channel, the upstream model and the operator's cost. */
export const presentOwnLog = (row: ShownLog, language: Language): Log => ({
  ...withoutCost(presentLog(row, { language, channelNames: NO_NAMES })),
  channel: 0,
  upstream_model: '',
})

const withoutCost = ({ provider_cost: _cost, ...log }: AdminLog): Log => log

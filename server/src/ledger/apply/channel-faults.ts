import type { Compilable } from 'kysely'
import type { AttemptRecord } from '@tollgate/contract'
import { faultOf } from '../../domain/channel-fault.ts'
import { bulkInsert } from '../../store/bulk.ts'
import type { Database } from '../../store/database.ts'
import { storableText } from '../../store/storable-text.ts'
import type { EndRecord } from '../record.ts'
import { saturatingSumSql } from './saturate.ts'

const SECONDS_PER_HOUR = 3600
const NAME_LENGTH_MAX = 200
const REASON_LENGTH_MAX = 500

const KEY = ['channel_id', 'hour', 'kind', 'model_name', 'key'] as const
const LATEST = ['status', 'reason', 'request_id', 'last_at'] as const

const faults = saturatingSumSql('channel_faults.faults', 'excluded.faults')
const latest = LATEST.map((name) => `${name} = excluded.${name}`).join(', ')

const insertFaults = bulkInsert(
  'channel_faults',
  {
    channel_id: 'bigint',
    hour: 'bigint',
    kind: 'text',
    model_name: 'text',
    key: 'text',
    faults: 'bigint',
    status: 'bigint',
    reason: 'text',
    request_id: 'text',
    last_at: 'bigint',
  },
  `(${KEY.join(', ')}) do update set faults = ${faults}, ${latest}`,
)

type Failing = Pick<EndRecord, 'at' | 'attempts'> & {
  readonly context: Pick<EndRecord['context'], 'model' | 'requestId'>
}

/**
 * Counts the failed attempts that their channel is at fault for, whatever became of the request.
 * The health of channels is judged by them.
 */
export function writeChannelFaults(
  kind: Database['kind'],
  ends: readonly { readonly record: Failing }[],
): Compilable[] {
  const rows = new Map<string, ReturnType<typeof rowOf>>()
  for (const { record } of ends) {
    for (const attempt of record.attempts) {
      const fault = faultOf(attempt.reason)
      if (fault === null) continue
      const row = rowOf(record, attempt, fault)
      const id = KEY.map((name) => row[name]).join(' ')
      rows.set(id, { ...row, faults: row.faults + (rows.get(id)?.faults ?? 0) })
    }
  }
  // Nodes write these rows in the same order, so that they do not wait for each other in a circle.
  const sorted = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return insertFaults(
    kind,
    sorted.map(([, row]) => row),
  )
}

const rowOf = (
  { at, context }: Failing,
  { channel, status, key = '' }: AttemptRecord,
  fault: { kind: string; detail: string },
) => ({
  channel_id: channel,
  hour: Math.floor(at / SECONDS_PER_HOUR),
  kind: fault.kind,
  model_name: storableText(context.model, NAME_LENGTH_MAX),
  key: storableText(key, NAME_LENGTH_MAX),
  faults: 1,
  status,
  reason: storableText(fault.detail, REASON_LENGTH_MAX),
  request_id: context.requestId,
  last_at: at,
})

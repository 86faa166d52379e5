import { CHANNEL_STATUS } from '@tollgate/contract'
import type { Ledger } from '../../src/ledger/ledger.ts'
import { newRelayKey, type Secrets } from '../../src/secrets.ts'
import type { Database, Tx } from '../../src/store/database.ts'
import { userRow } from './user-row.ts'

type UserParts = { quota?: number; group?: string; status?: number; role?: number }

type TokenParts = {
  user: number
  /** Undefined for an unlimited token. */
  quota?: number
  models?: string
  subnet?: string
  status?: number
  expired_time?: number
}

type ChannelParts = {
  base_url: string
  models?: string
  group?: string
  type?: number
  priority?: number
  weight?: number
  model_mapping?: string
  status?: number
  /** Several keys are separated by line breaks. */
  key?: string
  other?: string
  config?: string
}

export type RowMaker = {
  addUser: (user?: UserParts) => Promise<number>
  addToken: (token: TokenParts) => Promise<{ id: number; key: string }>
  addChannel: (channel: ChannelParts) => Promise<number>
}

const CUSTOM_TYPE = 8

/** Inserts rows as the control plane would. Initial balances go through the ledger. */
export function createRowMaker(deps: {
  database: Database
  ledger: Pick<Ledger, 'credit'>
  secrets: Secrets
}): RowMaker {
  let made = 0
  const change = async <Row>(insert: (tx: Tx, name: string) => Promise<Row>): Promise<Row> => {
    made += 1
    const name = `row${made}`
    return deps.database.change((tx) => insert(tx, name))
  }
  return {
    addUser: (parts = {}) => change((tx, name) => insertUser(tx, deps.ledger, { name, ...parts })),
    addToken: (parts) => change((tx, name) => insertToken(tx, deps, { name, ...parts })),
    addChannel: (parts) =>
      change((tx, name) => insertChannel(tx, deps.secrets, { name, ...parts })),
  }
}

async function insertUser(
  tx: Tx,
  ledger: Pick<Ledger, 'credit'>,
  { name, quota = 0, group = 'default', status = 1, role = 1 }: UserParts & { name: string },
): Promise<number> {
  const { id } = await tx
    .insertInto('users')
    .values(userRow(name, { role, status, group }))
    .returning('id')
    .executeTakeFirstOrThrow()
  await creditFirst(tx, ledger, { kind: 'user', ownerId: id, amount: quota })
  return id
}

async function insertToken(
  tx: Tx,
  { ledger, secrets }: { ledger: Pick<Ledger, 'credit'>; secrets: Secrets },
  parts: TokenParts & { name: string },
): Promise<{ id: number; key: string }> {
  const { name, user, quota, models = '', subnet = '', status = 1, expired_time = -1 } = parts
  const key = newRelayKey()
  const { id } = await tx
    .insertInto('tokens')
    .values({
      user_id: user,
      key_hash: secrets.hashRelayKey(key),
      key_sealed: secrets.sealRelayKey(key),
      status,
      name,
      created_time: 0,
      expired_time,
      unlimited_quota: quota === undefined ? 1 : 0,
      models,
      subnet,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await creditFirst(tx, ledger, { kind: 'token', ownerId: id, amount: quota ?? 0 })
  return { id, key: `sk-${key}` }
}

async function insertChannel(
  tx: Tx,
  secrets: Secrets,
  parts: ChannelParts & { name: string },
): Promise<number> {
  const { name, base_url, models = 'gpt-4o-mini', group = 'default', type = CUSTOM_TYPE } = parts
  const { status = CHANNEL_STATUS.enabled, weight = 0, priority = 0, model_mapping = '' } = parts
  const { key = 'sk-upstream', other = '', config = '' } = parts
  const { id } = await tx
    .insertInto('channels')
    .values({
      type,
      key_sealed: secrets.sealChannelKey(key),
      status,
      name,
      weight,
      created_time: 0,
      base_url,
      other,
      models,
      group,
      model_mapping,
      priority,
      config,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const abilities = group
    .split(',')
    .flatMap((name) => models.split(',').map((model) => ({ group: name, model, channel_id: id })))
  await tx.insertInto('abilities').values(abilities).execute()
  return id
}

async function creditFirst(
  tx: Tx,
  ledger: Pick<Ledger, 'credit'>,
  first: { kind: 'user' | 'token'; ownerId: number; amount: number },
) {
  if (first.amount === 0) return
  const source = `first:${first.kind}:${first.ownerId}`
  await ledger.credit(tx, { ...first, reason: 'first', source, actorId: 0 })
}

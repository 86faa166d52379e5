import { z } from 'zod'
import type { JsonSchema } from './describe.ts'

/** Examples by field name, for fields whose schema does not suggest a realistic value. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  action: 'disable',
  aff_code: 'a1B2c',
  amount: 12_500,
  base_url: 'https://api.example.com',
  code: 'aB3xY9',
  config: '',
  display_name: 'Alice',
  edit_id: 'edit-7',
  email: 'alice@example.com',
  end_timestamp: 1_700_086_400,
  expired_time: -1,
  gift_code: '',
  github_id: '',
  group: 'default',
  // The root account has id 1.
  id: 42,
  key: '0123456789abcdef',
  model_mapping: '',
  models: 'gpt-4o,gpt-4o-mini',
  name: 'example',
  password: 'correct horse 9',
  password2: 'correct horse 9',
  other: '',
  payout_id: 'march-17',
  priority: 0,
  quota: 500_000,
  quota_seen: 0,
  remain_quota: 500_000,
  start_timestamp: 1_700_000_000,
  status: 1,
  subnet: '',
  target_timestamp: 1_700_000_000,
  ticket: 'ticket-of-the-challenge',
  tag: '',
  to: 'alice@example.com',
  token: 'token-of-the-link',
  transaction_id: 'order-1024',
  username: 'alice',
  value: 'true',
  verification_code: '',
  wechat_id: '',
  weight: 0,
}

const exampleSchema = z.looseObject({ examples: z.array(z.unknown()) })
const numberSchema = z.looseObject({ type: z.enum(['integer', 'number']) })

/**
 * Fields in the example of a change: the ones the endpoint needs, without passwords or user
 * balances.
 */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  confirm: ['code'],
  updateChannel: ['id', 'name', 'priority'],
  updateRedemption: ['id', 'name', 'quota'],
  updateSelf: ['display_name'],
  updateToken: [
    'id',
    'name',
    'remain_quota',
    'expired_time',
    'unlimited_quota',
    'models',
    'subnet',
  ],
  updateUser: ['id', 'display_name', 'group'],
}

export const bodyExample = (name: string, schema: JsonSchema) =>
  SHOWN[name] === undefined ? exampleOf(schema, 'required') : fieldsOf(schema, SHOWN[name])

/** An input the endpoint accepts, with its required fields or with all of them. */
export function exampleOf(schema: JsonSchema, which: 'required' | 'all'): Record<string, unknown> {
  const names = which === 'all' ? Object.keys(schema.properties ?? {}) : (schema.required ?? [])
  return fieldsOf(schema, names)
}

const fieldsOf = ({ properties }: JsonSchema, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, valueOf(name, properties?.[name])]))

function valueOf(name: string, schema: unknown): unknown {
  const [given] = exampleSchema.safeParse(schema).data?.examples ?? []
  if (given !== undefined) return given
  const isNumber = numberSchema.safeParse(schema).success
  const named = BY_NAME[name]
  // The token of a mailed link is text, and that of a filter an id.
  if (named !== undefined && (!isNumber || typeof named === 'number')) return named
  if (typeof schema !== 'object' || schema === null) return ''
  if ('default' in schema) return schema.default
  if ('enum' in schema && Array.isArray(schema.enum)) return schema.enum[0]
  if ('type' in schema && schema.type === 'boolean') return false
  return isNumber ? 1 : ''
}

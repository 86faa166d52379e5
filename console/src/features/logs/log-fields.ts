import { isLogResult } from '@tollgate/contract'

/** Filters of requests in the URL, by the names of the server. Empty texts match everything. */
export const FIELDS = [
  'outcome',
  'model_name',
  'model_part',
  'token_name',
  'token_part',
  'username',
  'user_id',
  'user_part',
  'channel',
  'error',
  'endpoint',
  'group',
  'stream',
  'min_quota',
  'max_quota',
  'min_duration',
  'max_duration',
  'request_id',
] as const

export type Field = (typeof FIELDS)[number]

export type Fields = Record<Field, string>

export const NO_FIELDS: Fields = {
  outcome: '',
  model_name: '',
  model_part: '',
  token_name: '',
  token_part: '',
  username: '',
  user_id: '',
  user_part: '',
  channel: '',
  error: '',
  endpoint: '',
  group: '',
  stream: '',
  min_quota: '',
  max_quota: '',
  min_duration: '',
  max_duration: '',
  request_id: '',
}

const LENGTH_MAX = 200
const ID = /^[1-9]\d{0,8}$/
const AMOUNT = /^\d{1,15}$/

/** Whether the server accepts the value. */
export function isValid(field: Field, value: string): boolean {
  if (value === '') return true
  switch (field) {
    case 'channel':
    case 'user_id':
      return ID.test(value)
    case 'min_quota':
    case 'max_quota':
    case 'min_duration':
    case 'max_duration':
      return AMOUNT.test(value)
    case 'stream':
      return value === 'true' || value === 'false'
    case 'outcome':
      return value.split(',').every(isLogResult)
    case 'model_name':
    case 'model_part':
    case 'token_name':
    case 'token_part':
    case 'username':
    case 'user_part':
    case 'error':
    case 'endpoint':
    case 'group':
    case 'request_id':
      return value.length <= LENGTH_MAX
  }
}

/** Fields that only administrators may use. */
export const ADMIN_FIELDS: readonly Field[] = ['username', 'user_id', 'user_part', 'channel']

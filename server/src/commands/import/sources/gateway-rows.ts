import { NEVER, ROLE } from '@tollgate/contract'
import {
  flagIn,
  hasDate,
  integerIn,
  listIn,
  type Row,
  secondsIn,
  textIn,
} from '../../../other-gateways/row.ts'
import type { SourceCode, SourceLog, SourceToken, SourceUser } from './source.ts'

export const USER_COLUMNS = [
  ...(['username', 'password', 'display_name', 'role', 'status', 'email', 'github_id'] as const),
  ...(['wechat_id', 'lark_id', 'oidc_id', 'access_token', 'quota', 'used_quota'] as const),
  ...(['request_count', 'group', 'aff_code', 'inviter_id', 'created_at', 'created_time'] as const),
  ...(['aff_quota', 'deleted_at'] as const),
] as const

export const TOKEN_COLUMNS = [
  ...(['user_id', 'key', 'status', 'name', 'created_time', 'accessed_time'] as const),
  ...(['expired_time', 'remain_quota', 'unlimited_quota', 'used_quota', 'models'] as const),
  ...(['subnet', 'model_limits_enabled', 'model_limits', 'allow_ips', 'group'] as const),
  ...(['setting', 'deleted_at'] as const),
] as const

export const CODE_COLUMNS = [
  ...(['key', 'status', 'name', 'quota', 'created_time', 'expired_time', 'deleted_at'] as const),
] as const

export const LOG_COLUMNS = [
  ...(['user_id', 'created_at', 'type', 'content', 'username', 'token_id', 'token_name'] as const),
  ...(['model_name', 'quota', 'prompt_tokens', 'completion_tokens', 'channel_id'] as const),
  ...(['elapsed_time', 'use_time', 'request_time', 'is_stream', 'group', 'other'] as const),
  ...(['metadata'] as const),
] as const

const DELETED_STATUS = 3

export const isDeleted = (row: Row) => hasDate(row, 'deleted_at')

export const isDeletedUser = (row: Row) =>
  isDeleted(row) || integerIn(row, 'status') === DELETED_STATUS

export function readUser(row: Row): SourceUser {
  const inviter = integerIn(row, 'inviter_id')
  return {
    id: textIn(row, 'id'),
    username: textIn(row, 'username'),
    passwordHash: textIn(row, 'password'),
    displayName: textIn(row, 'display_name'),
    role: roleOf(integerIn(row, 'role')),
    isEnabled: integerIn(row, 'status') === 1,
    email: textIn(row, 'email'),
    githubId: textIn(row, 'github_id'),
    wechatId: textIn(row, 'wechat_id'),
    larkId: textIn(row, 'lark_id'),
    oidcId: textIn(row, 'oidc_id'),
    accessToken: textIn(row, 'access_token'),
    quota: integerIn(row, 'quota'),
    usedQuota: Math.max(0, integerIn(row, 'used_quota')),
    requestCount: Math.max(0, integerIn(row, 'request_count')),
    group: textIn(row, 'group') || 'default',
    inviteCode: textIn(row, 'aff_code'),
    inviterId: inviter > 0 ? String(inviter) : '',
    createdTime: secondsIn(row, 'created_time') || secondsIn(row, 'created_at'),
  }
}

function roleOf(role: number): number {
  if (role >= ROLE.root) return ROLE.root
  return role >= ROLE.admin ? ROLE.admin : ROLE.user
}

export type TokenLimits = Pick<SourceToken, 'models' | 'subnets'>

export function readToken(row: Row, limits: TokenLimits): SourceToken {
  const expired = secondsIn(row, 'expired_time')
  return {
    id: textIn(row, 'id'),
    userId: textIn(row, 'user_id'),
    key: { plain: textIn(row, 'key').replace(/^sk-/, '') },
    status: integerIn(row, 'status'),
    name: textIn(row, 'name'),
    createdTime: secondsIn(row, 'created_time'),
    accessedTime: secondsIn(row, 'accessed_time'),
    expiredTime: expired > 0 ? expired : NEVER,
    isUnlimited: flagIn(row, 'unlimited_quota'),
    remainQuota: integerIn(row, 'remain_quota'),
    usedQuota: Math.max(0, integerIn(row, 'used_quota')),
    models: limits.models,
    subnets: limits.subnets,
    budget: null,
  }
}

export function readCode(row: Row): SourceCode {
  return {
    id: textIn(row, 'id'),
    key: textIn(row, 'key'),
    status: integerIn(row, 'status'),
    name: textIn(row, 'name'),
    quota: integerIn(row, 'quota'),
    createdTime: secondsIn(row, 'created_time'),
    expiredTime: secondsIn(row, 'expired_time'),
  }
}

const LOG_TYPES: Readonly<Record<number, SourceLog['type']>> = {
  1: 'topup',
  2: 'consume',
  3: 'manage',
  4: 'system',
}

/** Refunds of New API. */
const REFUND = 6

/** What the products store in their own ways. */
export type LogDetails = Pick<
  SourceLog,
  'cachedTokens' | 'elapsedMs' | 'firstTokenMs' | 'upstreamModel'
>

/** Null for rows that are no part of the books, such as errors and logins. */
export function readLog(row: Row, details: (row: Row) => LogDetails): SourceLog | null {
  const type = integerIn(row, 'type')
  const known = type === REFUND ? 'system' : LOG_TYPES[type]
  if (known === undefined) return null
  const token = integerIn(row, 'token_id')
  const channel = integerIn(row, 'channel_id')
  return {
    userId: textIn(row, 'user_id'),
    username: textIn(row, 'username'),
    tokenId: token > 0 ? String(token) : '',
    tokenName: textIn(row, 'token_name'),
    at: secondsIn(row, 'created_at'),
    type: known,
    content: textIn(row, 'content'),
    model: textIn(row, 'model_name'),
    channelId: channel > 0 ? String(channel) : '',
    quota: integerIn(row, 'quota'),
    promptTokens: Math.max(0, integerIn(row, 'prompt_tokens')),
    completionTokens: Math.max(0, integerIn(row, 'completion_tokens')),
    isStream: flagIn(row, 'is_stream'),
    group: textIn(row, 'group'),
    ...details(row),
  }
}

export const subnetsIn = (row: Row, column: string) =>
  listIn(textIn(row, column).replaceAll(';', ','))

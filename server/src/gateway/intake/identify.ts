import { isAdmin, type Quota, TOKEN_STATUS, USER_STATUS } from '@tollgate/contract'
import { tokenState } from '../../domain/token-state.ts'
import { isInRanges } from '../../network/ip-ranges.ts'
import type { Arrival, RelayDeps } from '../context.ts'
import { invalidKey, Refusal } from '../errors.ts'
import type { Caller } from './authenticate.ts'

const UNUSABLE = {
  disabled: 'This API key is disabled.',
  expired: 'This API key has expired.',
  exhausted: 'The quota of this API key is used up.',
} as const

type IdentifyInput = Pick<Arrival, 'request' | 'arrivedAt'> & {
  /** Set if already known: a closed connection no longer has an address. */
  readonly address?: string
}

const MS = 1000

type IdentifyDeps = Pick<RelayDeps, 'authenticate' | 'addressOf'>

/**
 * Returns the caller a key belongs to. Throws a refusal unless the key may be used from this
 * address now.
 */
export async function identify(
  { authenticate, addressOf }: IdentifyDeps,
  { request, arrivedAt, address = addressOf(request) }: IdentifyInput,
): Promise<Caller> {
  const lookup = authenticate.caller(request)
  // A known caller is returned synchronously: awaiting would yield to other requests.
  const caller = lookup instanceof Promise ? await lookup : lookup
  return usableCaller(caller, { address, nowSeconds: Math.floor(arrivedAt / MS) })
}

/**
 * Like `identify`, for requests that may be billed, and synchronous for a known caller with a
 * balance. A balance of 0 is read again because top-ups are not announced.
 */
export function identifyPayer(
  { authenticate, addressOf }: IdentifyDeps,
  { request, arrivedAt, address = addressOf(request) }: IdentifyInput,
): Caller | Promise<Caller> {
  const use = { address, nowSeconds: Math.floor(arrivedAt / MS) }
  const lookup = authenticate.caller(request)
  return lookup instanceof Promise || !isFunded(lookup)
    ? rereadPayer(authenticate, lookup, use)
    : usableCaller(lookup, use)
}

async function rereadPayer(
  authenticate: IdentifyDeps['authenticate'],
  lookup: Caller | Promise<Caller>,
  use: KeyUse,
): Promise<Caller> {
  const known = await lookup
  return usableCaller(isFunded(known) ? known : await authenticate.reread(known), use)
}

/** From the cached read; the hold is authoritative. */
export const balanceOf = ({ user, token }: Caller): Quota =>
  token.unlimited_quota === 1 ? user.quota : Math.min(user.quota, token.remain_quota)

export const isFunded = (caller: Caller): boolean =>
  balanceOf(caller) > 0 && caller.token.status !== TOKEN_STATUS.exhausted

type KeyUse = { readonly address: string; readonly nowSeconds: number }

/** The caller itself. Throws a refusal if its key may not be used. */
function usableCaller(caller: Caller, { address, nowSeconds }: KeyUse): Caller {
  const { token, user, pinned } = caller
  const state = tokenState(token, nowSeconds)
  if (state !== 'enabled') throw invalidKey(UNUSABLE[state], { isUnpaid: state === 'exhausted' })
  if (token.subnet.trim() !== '' && !isInRanges(address, token.subnet)) {
    throw forbidden(
      'address_not_allowed',
      `This API key may be used from ${token.subnet} only, not from ${address}.`,
    )
  }
  if (user.status !== USER_STATUS.enabled) {
    throw forbidden('account_banned', 'The owner of this API key is banned.')
  }
  if (pinned !== null && !isAdmin(user.role)) {
    throw forbidden('channel_not_allowed', 'Only administrators may name a channel in an API key.')
  }
  return caller
}

export const mayUseModel = ({ models }: Caller['token'], model: string): boolean =>
  models.size === 0 || models.has(model)

export function requireAllowedModel({ token }: Caller, model: string) {
  if (mayUseModel(token, model)) return
  throw forbidden('model_not_allowed', `This API key may not use the model ${model}.`, 'model')
}

const forbidden = (code: string, message: string, param: string | null = null) =>
  new Refusal({ status: 403, code, message, param })

import { ATTEMPT_REASON, type UpstreamProblemKind } from '@tollgate/contract'

/** Whether the channel is at fault rather than the request. */
export const CHANNEL_FAULTS = {
  auth: true,
  quota: true,
  permission: true,
  rate_limit: true,
  overloaded: true,
  upstream_fault: true,
  timeout: true,
  model_missing: true,
  not_offered: false,
  invalid_request: false,
  context_length: false,
  content_policy: false,
  [ATTEMPT_REASON.lostHedge]: true,
} as const satisfies Record<UpstreamProblemKind | typeof ATTEMPT_REASON.lostHedge, boolean>

const IS_FAULT: ReadonlyMap<string, boolean> = new Map(Object.entries(CHANNEL_FAULTS))

/**
 * `reason` is that of an attempt. It begins with a key of CHANNEL_FAULTS if the channel may be at
 * fault.
 */
export function isChannelFault(reason: string): boolean {
  const [begin = ''] = reason.split(':', 1)
  return IS_FAULT.get(begin) ?? false
}

/**
 * What failed at the channel; null if the channel is not at fault. A lost hedge was slow, but did
 * not fail.
 */
export function faultOf(reason: string): { kind: string; detail: string } | null {
  if (!isChannelFault(reason) || reason === ATTEMPT_REASON.lostHedge) return null
  const [kind = ''] = reason.split(':', 1)
  return { kind, detail: reason.slice(kind.length + 1).trim() }
}

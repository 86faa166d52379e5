/** What a provider's failure means. */
export const UPSTREAM_PROBLEM_KINDS = [
  'auth',
  'quota',
  'permission',
  'rate_limit',
  'overloaded',
  'upstream_fault',
  'timeout',
  'model_missing',
  'not_offered',
  'invalid_request',
  'context_length',
  'content_policy',
] as const

export type UpstreamProblemKind = (typeof UPSTREAM_PROBLEM_KINDS)[number]

const UPSTREAM_PROBLEM_KINDS = [
  'auth',
  'quota',
  'permission',
  'rate_limit',
  'overloaded',
  'upstream_fault',
  'timeout',
  'model_missing',
  'invalid_request',
  'context_length',
  'content_policy',
] as const

export type UpstreamProblemKind = (typeof UPSTREAM_PROBLEM_KINDS)[number]

type Judgement = { readonly kind: UpstreamProblemKind; readonly namesKey: boolean }

/** Codes and types of all vendors, in lower case; `vendor:number` where the same number has several meanings. */
const CODES: Readonly<Record<UpstreamProblemKind, readonly string[]>> = {
  auth: [
    'invalid_api_key',
    'incorrect_api_key_error',
    'invalid_authentication_error',
    'authentication_error',
    'authentication',
    'account_deactivated',
    'api_key_invalid',
    'api_key_expired',
    'invalidapikey',
    'invalid_iam_token',
    'unauthapikey',
    'unauthenticated',
    'authfailure',
    'minimax:1004',
    'minimax:2049',
    'baidu:13',
    'baidu:14',
    'baidu:15',
    'baidu:100',
    'baidu:110',
    'baidu:111',
    'zhipu:1000',
    'zhipu:1001',
    'zhipu:1002',
    'zhipu:1003',
    'zhipu:1004',
    'zhipu:1005',
    'unauthorizedoperation',
    'invalid_appid',
    'spark:10312',
    'spark:10313',
  ],
  quota: [
    'insufficient_quota',
    'insufficient_user_quota',
    'insufficient_balance',
    'exceeded_current_quota_error',
    'billing_hard_limit_reached',
    'billing_not_active',
    'billing_error',
    'credit_balance_exhausted',
    'enforced_spend_limit_reached',
    'payment_required',
    'account_overdue',
    'arrearage',
    'allocationquota.freetieronly',
    'pre_consume_token_quota_failed',
    'minimax:1008',
    'minimax:1028',
    'minimax:1030',
    'minimax:2056',
    'google:per_day',
    'baidu:17',
    'baidu:19',
    'zhipu:1113',
    'zhipu:1309',
    'failedoperation.freeresourcepackexhausted',
    'failedoperation.resourcepackexhausted',
    'failedoperation.servicestoparrears',
    'resourceinsufficient.chargeresourceexhaust',
    'resourceunavailable.inarrears',
    'resourceunavailable.lowbalance',
    'spark:10016',
    'spark:11200',
    'spark:11201',
  ],
  permission: [
    'permission_error',
    'permission_denied',
    'permission_denied_error',
    'permissiondenied',
    'forbidden',
    'organization_restricted',
    'organization_disabled',
    'failed_precondition',
    'unsupported_country_region_territory',
    'zhipu:1110',
    'zhipu:1111',
    'zhipu:1112',
    'zhipu:1121',
    'zhipu:1220',
    'zhipu:1313',
    'failedoperation.servicenotactivated',
    'failedoperation.servicestop',
    'failedoperation.userunautherror',
    'resourceunavailable.notexist',
    'resourceunavailable.stopusing',
    'accessdenied',
    'access_denied',
    'baidu:6',
    'baidu:336004',
    'spark:10015',
  ],
  rate_limit: [
    'rate_limit_exceeded',
    'rate_limit_error',
    'rate_limit_reached_error',
    'ratelimitreached',
    'too_many_requests',
    'resource_exhausted',
    'quota_in_use',
    'throttling',
    'limitexceeded',
    'requestlimitexceeded',
    'requests',
    'tokens',
    'minimax:1002',
    'minimax:1039',
    'minimax:1041',
    'minimax:2045',
    'baidu:4',
    'baidu:18',
    'baidu:336501',
    'baidu:336502',
    'zhipu:1302',
    'zhipu:1303',
    'zhipu:1304',
    'zhipu:1308',
    'zhipu:1310',
    'failedoperation.engineserverlimitexceeded',
    'spark:10006',
    'spark:10007',
    'spark:11202',
    'spark:11203',
    'spark:11210',
  ],
  overloaded: [
    'server_is_overloaded',
    'slow_down',
    'overloaded_error',
    'engine_overloaded_error',
    'service_unavailable_error',
    'provider_overloaded',
    'provider_unavailable',
    'capacity_exceeded',
    'unavailable',
    'minimax:1000',
    'minimax:1024',
    'minimax:1033',
    'baidu:2',
    'baidu:336100',
    'zhipu:1305',
    'zhipu:1312',
    'serviceunavailable',
    'modelservingerror',
    'modelunavailable',
    'baidu:1',
    'baidu:336000',
    'spark:10008',
    'spark:10110',
    'spark:10222',
    'spark:10223',
  ],
  // What every failure is that nothing else explains; as a code it would hide a telling status.
  // This one is about a clock, ours most likely, and not about the key.
  upstream_fault: ['authfailure.signatureexpire'],
  timeout: [
    'timeout',
    'timeout_error',
    'gateway_timeout',
    'deadline_exceeded',
    'minimax:1001',
    'tencent:4001',
    'failedoperation.enginerequesttimeout',
    'internalerror.timeout',
  ],
  model_missing: [
    'model_not_found',
    'modelnotfound',
    'deploymentnotfound',
    'resource_not_found_error',
    'invalid_model',
    'minimax:2061',
    'zhipu:1211',
    'zhipu:1311',
    'zhipu:1221',
    'zhipu:1222',
    'invalidparametervalue.model',
    'workspacenotfound',
    'model_offline',
    'baidu:3',
    'baidu:336005',
    'baidu:336101',
    'spark:10404',
  ],
  invalid_request: [
    'invalid_value',
    'unsupported_value',
    'unsupported_parameter',
    'missing_required_parameter',
    'string_above_max_length',
    'invalid_image_url',
    'invalid_prompt',
    'minimax:2013',
    'minimax:1042',
    'zhipu:1210',
    'zhipu:1212',
    'zhipu:1213',
    'zhipu:1214',
    'zhipu:1215',
    'zhipu:1231',
    'invalidparameter',
    'invalidparametervalue',
    'missingparameter',
    'unknownparameter',
    'unsupportedoperation',
    'invalidurl',
    'badrequest',
    'no_parameter_permission',
    'baidu:336001',
    'baidu:336002',
    'baidu:336003',
    'baidu:336006',
    'baidu:336104',
    'baidu:336105',
    'spark:10003',
    'spark:10004',
    'spark:10005',
    'spark:10163',
  ],
  context_length: [
    'context_length_exceeded',
    'token_limit_exceeded',
    'prompt_too_long',
    'baidu:336007',
    'baidu:336103',
    'characters_too_long',
    'tokens_too_long',
    'zhipu:1261',
    'spark:10907',
  ],
  content_policy: [
    'content_policy_violation',
    'content_filter',
    'content_filtered',
    'responsibleaipolicyviolation',
    'data_inspection_failed',
    'datainspectionfailed',
    'moderation',
    'refusal',
    'minimax:1026',
    'minimax:1027',
    'zhipu:1300',
    'zhipu:1301',
    'operationdenied.textillegaldetected',
    'operationdenied.imageillegaldetected',
    'unsafe_request',
    'baidu:336102',
    'spark:10013',
    'spark:10014',
    'spark:10019',
    'spark:10021',
  ],
}

const KINDS: ReadonlyMap<string, UpstreamProblemKind> = new Map(
  UPSTREAM_PROBLEM_KINDS.flatMap((kind) => CODES[kind].map((code) => [code, kind] as const)),
)

/** The window of a plan passes, and so does a day; the account behind it is not exhausted for good. */
const PASSING_QUOTAS = new Set(['minimax:2056', 'google:per_day', 'spark:11201'])

/** Some vendors write `Class.Detail`; the class is enough. */
export function kindOfCode(code: string): Judgement | undefined {
  const word = code.toLowerCase()
  const kind = KINDS.get(word) ?? KINDS.get(word.split('.')[0] ?? '')
  return kind && { kind, namesKey: isAboutKey(kind) && !PASSING_QUOTAS.has(word) }
}

function isAboutKey(kind: UpstreamProblemKind): boolean {
  return kind === 'auth' || kind === 'quota' || kind === 'permission'
}

/** Words of whole messages, in lower case, for failures that no code tells apart. */
const WORDS: readonly (readonly [UpstreamProblemKind, readonly string[]])[] = [
  [
    'context_length',
    ['maximum context length', 'context_length', 'context length', 'prompt is too long'],
  ],
  [
    'auth',
    [
      'api key not valid',
      'api key expired',
      'incorrect api key',
      'invalid api key',
      'account deactivated',
      'account has been deactivated',
      'your access was terminated',
      'must be a member of an organization',
      'hmac signature does not match',
    ],
  ],
  [
    'permission',
    ['organization has been disabled', 'organization has been restricted', 'permission denied'],
  ],
  [
    'quota',
    [
      'credit balance is too low',
      'insufficient balance',
      'insufficient_quota',
      'exceeded your current quota',
      'quota exceeded',
      '余额不足',
      '额度不足',
      '额度已用尽',
      '欠费',
      'arrear',
    ],
  ],
  ['rate_limit', ['rate limit', 'too many requests', '请求过于频繁']],
  ['overloaded', ['overloaded', 'at capacity', 'capacity exceeded', '服务忙']],
]

const ABOUT_ACCOUNT_STATUSES = new Set([401, 402, 403, 429])
const NO_STATUS = 200

/**
 * Judges by words. Upstreams quote what clients sent, so words alone never cost a channel its place: the
 * status must be about the account, or the message must begin with them.
 */
export function kindOfText(status: number, message: string): Judgement | undefined {
  const text = message.toLowerCase()
  for (const [kind, words] of WORDS) {
    const found = words.find((word) => text.includes(word))
    if (found === undefined) continue
    const begins = text.replace(/^your /, '').startsWith(found.replace(/^your /, ''))
    if (isAboutKey(kind)) {
      const isAccount = ABOUT_ACCOUNT_STATUSES.has(status)
      if (isAccount || (status === 400 && begins)) return { kind, namesKey: true }
      if (status === NO_STATUS) return { kind, namesKey: false }
      continue
    }
    const fits = kind === 'context_length' ? isRefusal(status) : status === NO_STATUS
    if (fits) return { kind, namesKey: false }
  }
  return undefined
}

function isRefusal(status: number): boolean {
  return status === NO_STATUS || status === 400 || status === 413 || status === 422
}

const STATUSES: ReadonlyMap<number, UpstreamProblemKind> = new Map([
  [400, 'invalid_request'],
  [401, 'auth'],
  [402, 'quota'],
  [403, 'permission'],
  [404, 'model_missing'],
  [405, 'model_missing'],
  [408, 'timeout'],
  [413, 'invalid_request'],
  [415, 'invalid_request'],
  [422, 'invalid_request'],
  [429, 'rate_limit'],
  [498, 'overloaded'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [524, 'timeout'],
  [529, 'overloaded'],
])

/** Every other status, also a success without an answer, is the upstream's fault. */
export function kindOfStatus(status: number): UpstreamProblemKind {
  return STATUSES.get(status) ?? 'upstream_fault'
}

import { UPSTREAM_PROBLEM_KINDS, type UpstreamProblemKind } from '@tollgate/contract'
import { wordSet, words } from '../provider.ts'

/** `namesKey`: the failure concerns the key or the account. */
export type Classification = { readonly kind: UpstreamProblemKind; readonly namesKey: boolean }

/** Codes of all providers, in lower case; `provider:number` where numbers are ambiguous. */
const CODES: Readonly<Record<UpstreamProblemKind, readonly string[]>> = {
  auth: words(`
    invalid_api_key incorrect_api_key_error invalid_authentication_error authentication_error
    authentication account_deactivated api_key_invalid api_key_expired invalidapikey
    invalid_iam_token unauthapikey unauthenticated authfailure unauthorizedoperation invalid_appid
    minimax:1004 minimax:2049
    baidu:13 baidu:14 baidu:15 baidu:100 baidu:110 baidu:111
    zhipu:1000 zhipu:1001 zhipu:1002 zhipu:1003 zhipu:1004 zhipu:1005
    spark:10312 spark:10313
  `),
  quota: words(`
    insufficient_quota insufficient_user_quota insufficient_balance exceeded_current_quota_error
    billing_hard_limit_reached billing_not_active billing_disabled accountoverdueerror
    operationdenied.serviceoverdue billing_error credit_balance_exhausted
    enforced_spend_limit_reached payment_required account_overdue arrearage
    allocationquota.freetieronly pre_consume_token_quota_failed
    failedoperation.freeresourcepackexhausted failedoperation.resourcepackexhausted
    failedoperation.servicestoparrears resourceinsufficient.chargeresourceexhaust
    resourceunavailable.inarrears resourceunavailable.lowbalance
    minimax:1008 minimax:1028 minimax:1030 minimax:2056
    google:per_day
    baidu:17 baidu:19
    zhipu:1113 zhipu:1309
    spark:10016 spark:11200 spark:11201
  `),
  permission: words(`
    organization_restricted organization_disabled unsupported_country_region_territory
    service_disabled consumer_invalid consumer_suspended user_project_denied
    api_key_service_blocked api_key_ip_address_blocked api_key_http_referrer_blocked
    api_key_android_app_blocked api_key_ios_app_blocked failedoperation.servicenotactivated
    failedoperation.servicestop failedoperation.userunautherror resourceunavailable.notexist
    resourceunavailable.stopusing accessdenied.unpurchased
    zhipu:1110 zhipu:1111 zhipu:1112 zhipu:1121 zhipu:1313
    baidu:6 baidu:336004
    spark:10015
  `),
  rate_limit: words(`
    rate_limit_exceeded rate_limit_error rate_limit_reached_error ratelimitreached
    too_many_requests resource_exhausted quota_in_use throttling limitexceeded
    requestlimitexceeded requests tokens failedoperation.engineserverlimitexceeded
    minimax:1002 minimax:1039 minimax:1041 minimax:2045
    baidu:4 baidu:18 baidu:336501 baidu:336502
    zhipu:1302 zhipu:1303 zhipu:1304 zhipu:1308 zhipu:1310
    spark:10006 spark:10007 spark:11202 spark:11203 spark:11210
  `),
  overloaded: words(`
    server_is_overloaded slow_down overloaded_error engine_overloaded_error
    service_unavailable_error provider_overloaded provider_unavailable capacity_exceeded
    unavailable serviceunavailable modelservingerror modelunavailable
    minimax:1000 minimax:1024 minimax:1033
    baidu:2 baidu:336100 baidu:1 baidu:336000
    zhipu:1305 zhipu:1312
    spark:10008 spark:10110 spark:10222 spark:10223
  `),
  // The fallback for failures without another explanation. Its general codes are not listed, since
  // they would hide a more specific status. The code below means clock skew, most likely on this
  // side, and says nothing about the key.
  upstream_fault: ['authfailure.signatureexpire'],
  timeout: words(`
    timeout timeout_error gateway_timeout deadline_exceeded failedoperation.enginerequesttimeout
    internalerror.timeout
    minimax:1001
    tencent:4001
  `),
  model_missing: words(`
    model_not_found modelnotfound deploymentnotfound invalid_model invalidparametervalue.model
    workspacenotfound model_offline
    minimax:2061
    zhipu:1211 zhipu:1311 zhipu:1221 zhipu:1222
    baidu:3 baidu:336005 baidu:336101
    spark:10404
  `),
  // Recognized only by message text.
  not_offered: [],
  invalid_request: words(`
    invalid_value unsupported_value unsupported_parameter missing_required_parameter
    string_above_max_length invalid_image_url invalid_prompt invalidparameter
    invalidparametervalue missingparameter unknownparameter unsupportedoperation invalidurl
    badrequest no_parameter_permission
    minimax:2013 minimax:1042
    zhipu:1210 zhipu:1212 zhipu:1213 zhipu:1214 zhipu:1215 zhipu:1231
    baidu:336001 baidu:336002 baidu:336003 baidu:336006 baidu:336104 baidu:336105
    spark:10003 spark:10004 spark:10005 spark:10163
  `),
  context_length: words(`
    context_length_exceeded exceed_context_size_error token_limit_exceeded prompt_too_long
    characters_too_long tokens_too_long
    baidu:336007 baidu:336103
    zhipu:1261
    spark:10907
  `),
  content_policy: words(`
    content_policy_violation content_filter content_filtered responsibleaipolicyviolation
    data_inspection_failed datainspectionfailed moderation refusal
    operationdenied.textillegaldetected operationdenied.imageillegaldetected unsafe_request
    minimax:1026 minimax:1027
    zhipu:1300 zhipu:1301
    baidu:336102
    spark:10013 spark:10014 spark:10019 spark:10021
  `),
}

const KINDS: ReadonlyMap<string, UpstreamProblemKind> = new Map(
  UPSTREAM_PROBLEM_KINDS.flatMap((kind) => CODES[kind].map((code) => [code, kind] as const)),
)

/** Codes and types that do not say what is refused: the key, or only this request. */
const DENIALS: ReadonlySet<string> = wordSet(`
  permission_error permission_denied permission_denied_error permissiondenied forbidden
  accessdenied access_denied failed_precondition zhipu:1220
`)

/** A plan's time window or a daily limit resets, so the account is not exhausted for good. */
const TRANSIENT_QUOTAS = new Set(['minimax:2056', 'google:per_day', 'spark:11201'])

export function kindOfCode(code: string): Classification | undefined {
  const lowered = code.toLowerCase()
  const kind = KINDS.get(lowered) ?? KINDS.get(classOf(lowered))
  return kind && { kind, namesKey: isAboutKey(kind) && !TRANSIENT_QUOTAS.has(lowered) }
}

export function isDenial(code: string): boolean {
  const word = code.toLowerCase()
  return DENIALS.has(word) || DENIALS.has(classOf(word))
}

/** Some providers write `Class.Detail`; the class is enough. */
const classOf = (word: string) => word.split('.')[0] ?? ''

export function isAboutKey(kind: UpstreamProblemKind): boolean {
  return kind === 'auth' || kind === 'quota' || kind === 'permission'
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

/** All other statuses, including a success without an answer, count as upstream faults. */
export function kindOfStatus(status: number): UpstreamProblemKind {
  return STATUSES.get(status) ?? 'upstream_fault'
}

import { type BudgetPeriod, NEVER, ROLE, TOKEN_STATUS } from '@tollgate/contract'
import {
  flagIn,
  integerIn,
  isNull,
  numberIn,
  type Row,
  secondsIn,
  textIn,
  textsIn,
} from '../../../other-gateways/row.ts'
import type { Tell } from '../../../other-gateways/source-channel.ts'
import type { SourceLog, SourceToken, SourceUser } from './source.ts'

/** LiteLLM counts in dollars. */
const QUOTA_PER_DOLLAR = 500_000
/** LiteLLM does not limit an account without a budget; accounts here have a balance. */
const WITHOUT_BUDGET = 500_000_000_000_000

/** LiteLLM's name for its administrator, who owns the keys without an account. */
export const ADMINISTRATOR = 'default_user_id'
const MS_PER_SECOND = 1000

/** Rounds half away from zero. */
const quotaOf = (dollars: number) =>
  Math.sign(dollars) * Math.round(Math.abs(dollars) * QUOTA_PER_DOLLAR)

const balanceOf = (row: Row) =>
  isNull(row, 'max_budget')
    ? WITHOUT_BUDGET
    : quotaOf(numberIn(row, 'max_budget') - numberIn(row, 'spend'))

const NO_IDENTITIES = {
  githubId: '',
  wechatId: '',
  larkId: '',
  oidcId: '',
  accessToken: '',
  inviteCode: '',
  inviterId: '',
} as const

export function readUser(row: Row, tell: Tell): SourceUser {
  const id = textIn(row, 'user_id')
  const email = textIn(row, 'user_email')
  const isRoot = id === ADMINISTRATOR
  if (!isRoot && !isNull(row, 'budget_duration')) {
    tell(
      'Budgets of accounts that do not begin anew',
      `user ${id}: ${textIn(row, 'budget_duration')}`,
    )
  }
  return {
    ...NO_IDENTITIES,
    id,
    username: textIn(row, 'user_alias') || email.split('@')[0] || id,
    passwordHash: '',
    displayName: textIn(row, 'user_alias') || email || id,
    role: isRoot ? ROLE.root : textIn(row, 'user_role') === 'proxy_admin' ? ROLE.admin : ROLE.user,
    isEnabled: true,
    email,
    quota: balanceOf(row),
    usedQuota: Math.max(0, quotaOf(numberIn(row, 'spend'))),
    requestCount: 0,
    group: 'default',
    createdTime: 0,
  }
}

export const teamId = (id: string) => `team:${id}`

/** The budget of a team is the balance of an account of its own, which has the team's keys. */
export function readTeam(row: Row): SourceUser {
  const id = textIn(row, 'team_id')
  const name = textIn(row, 'team_alias') || id
  return {
    ...NO_IDENTITIES,
    id: teamId(id),
    username: name,
    passwordHash: '',
    displayName: name,
    role: ROLE.user,
    isEnabled: !flagIn(row, 'blocked'),
    email: '',
    quota: balanceOf(row),
    usedQuota: Math.max(0, quotaOf(numberIn(row, 'spend'))),
    requestCount: 0,
    group: 'default',
    createdTime: 0,
  }
}

const PERIODS: Readonly<Record<string, BudgetPeriod>> = {
  '1d': 'day',
  '24h': 'day',
  '7d': 'week',
  '30d': 'month',
  '1mo': 'month',
}

const HEX_DIGEST = /^[0-9a-f]{64}$/
/** Words in place of model names, which mean the models of a team, of the proxy, or none. */
const EVERY_MODEL: ReadonlySet<string> = new Set(['all-team-models', 'all-proxy-models'])
const NO_MODELS = 'no-default-models'

export function ownerOf(row: Row): string {
  if (!isNull(row, 'team_id')) return teamId(textIn(row, 'team_id'))
  return textIn(row, 'user_id') || ADMINISTRATOR
}

export function readToken(row: Row, tell: Tell): SourceToken {
  const token = textIn(row, 'token')
  const name = textIn(row, 'key_alias') || textIn(row, 'key_name')
  const isLimited = !isNull(row, 'max_budget')
  const duration = textIn(row, 'budget_duration')
  const period = isLimited ? PERIODS[duration] : undefined
  if (isLimited && duration !== '' && (period === undefined || duration === '30d')) {
    const here = period === undefined ? 'a limit that does not begin anew' : 'calendar months'
    tell('Budgets of keys with another period', `${name}: ${duration}, ${here} here`)
  }
  const expires = secondsIn(row, 'expires')
  const isOff = flagIn(row, 'blocked') || textsIn(row['models']).includes(NO_MODELS)
  return {
    id: token,
    userId: ownerOf(row),
    key: HEX_DIGEST.test(token) ? { sha256: token } : { plain: token.replace(/^sk-/, '') },
    status: isOff ? TOKEN_STATUS.disabled : TOKEN_STATUS.enabled,
    name,
    createdTime: secondsIn(row, 'created_at'),
    accessedTime: 0,
    expiredTime: expires > 0 ? expires : NEVER,
    isUnlimited: !isLimited || period !== undefined,
    remainQuota: quotaOf(numberIn(row, 'max_budget') - numberIn(row, 'spend')),
    usedQuota: Math.max(0, quotaOf(numberIn(row, 'spend'))),
    models: readModels(row, name, tell),
    subnets: [],
    budget: period === undefined ? null : { quota: quotaOf(numberIn(row, 'max_budget')), period },
  }
}

function readModels(row: Row, name: string, tell: Tell): string[] {
  const models = textsIn(row['models'])
  if (models.some((model) => EVERY_MODEL.has(model))) return []
  const usable = models.filter((model) => !model.includes('*') && model !== NO_MODELS)
  if (usable.length < models.length) {
    tell('Model limits of keys that are patterns', `${name}: ${models.join(', ')}`)
  }
  return usable
}

export function readLog(row: Row, owner: string): SourceLog {
  const [start, end] = [numberIn(row, 'started'), numberIn(row, 'ended')]
  const first = numberIn(row, 'first')
  return {
    userId: owner,
    username: '',
    tokenId: textIn(row, 'api_key'),
    tokenName: textIn(row, 'key_alias'),
    at: Math.floor(start),
    type: 'consume',
    content: '',
    model: textIn(row, 'model_group') || textIn(row, 'model'),
    upstreamModel: textIn(row, 'model'),
    channelId: '',
    quota: quotaOf(numberIn(row, 'spend')),
    promptTokens: Math.max(0, integerIn(row, 'prompt_tokens')),
    completionTokens: Math.max(0, integerIn(row, 'completion_tokens')),
    cachedTokens: 0,
    elapsedMs: end > start ? Math.round((end - start) * MS_PER_SECOND) : null,
    firstTokenMs: first > start && first < end ? Math.round((first - start) * MS_PER_SECOND) : 0,
    isStream: first > start && first < end,
    group: '',
  }
}

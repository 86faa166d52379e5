// Statements that fill the users and the log, for SQLite and PostgreSQL.
const DAYS = 90
export const CHANNELS = 100

export const NOW = Math.floor(Date.now() / 1000)

export const counting = (most) =>
  `with recursive numbers(n) as (select cast(1 as bigint)
    union all select n + 1 from numbers where n < ${Number(most)})`

const MODELS = `case when n % 4987 = 0 then 'o3-pro' else case n % 5 when 0 then 'gpt-4o'
  when 1 then 'gpt-4o-mini' when 2 then 'claude-sonnet-4' when 3 then 'gemini-2.5-flash'
  else 'deepseek-chat' end end`

const ENDPOINTS = `case when n % 19997 = 0 then 'images' else case n % 9 when 0 then 'embeddings'
  when 1 then 'responses' else 'chat' end end`

const GROUPS = `case when n % 4999 = 0 then 'vip' when n % 47 = 0 then 'team' else 'default' end`

const ERRORS = `case n % 3 when 0 then 'upstream_error' when 1 then 'no_channel'
  else 'request_refused' end`

const BASIS = JSON.stringify({
  price_model: 'gpt-4o-mini',
  price_version: '0123456789abcdef',
  model_ratio: 0.075,
  completion_ratio: 4,
  cache_ratio: 0.5,
  cache_write_ratio: 1,
  group: 'default',
  group_ratio: 1,
  prompt_tokens: 1200,
  cached_tokens: 0,
  cache_write_tokens: 0,
  completion_tokens: 300,
  reasoning_tokens: 0,
  usage_source: 'reported',
  held: 4000,
  cost: 180,
})
/** In nano-dollars. Every seventh request is sold below cost. */
const COST = 'case n % 7 when 0 then 400000 else 240000 end'
const ATTEMPTS = JSON.stringify([
  {
    channel: 1,
    status: 200,
    reason: '',
    milliseconds: 900,
    model: 'gpt-4o-mini',
    key: '01234567',
    prompt_tokens: 1200,
    completion_tokens: 300,
    cost: 240_000,
    cost_source: 'list',
  },
])

export const usersOf = (users) => `
insert into users (username, username_folded, display_name, email, role, status, "group", aff_code,
  inviter_id, created_time, quota, used_quota, request_count)
${counting(users)} select 'user' || n, 'user' || n, 'User ' || n, 'user' || n || '@example.com', 1, 1,
  'default', 'b' || n, case when n % 100 = 0 then 1 else 0 end, ${NOW} - 90 * 86400 + n,
  n * 7919 % 1000000, n * 104729 % 900000, n % 1000 from numbers;`

const noteOr = (value, none) => `case kind when 'note' then ${none} else ${value} end`
const voidOr = (value, none) => `case kind when 'void' then ${none} else ${value} end`

/** Rows of four kinds: answers, cut-off answers, failed requests, and notes. */
export const logsOf = ({ users, logs }) => {
  const owner = `case when n % 53 = 0 then 1 else n * 7919 % ${Number(users)} + 2 end`
  const at = `${NOW} - ${DAYS} * 86400 + cast(n * (${DAYS} * 86400.0) / ${Number(logs)} as integer)`
  const content = `case kind when 'note' then 'Quota changed: $1.00 → $2.00'
    else 'model ratio 0.075, group ratio 1' end`
  const endReason = `case kind when 'void' then ${ERRORS} when 'cut' then 'broken_stream'
    when 'note' then '' else 'finished' end`
  const columns = {
    user_id: 'owner',
    username: `'user' || owner`,
    created_at: 'at',
    type: noteOr('2', 'n % 50 * 2 + 1'),
    content,
    token_id: noteOr('owner', '0'),
    token_name: noteOr(`'token' || owner`, `''`),
    model_name: noteOr('model', `''`),
    upstream_model: noteOr('model', `''`),
    quota: `case when kind in ('note', 'void') then 0 else n * 7919 % 5000 + 1 end`,
    prompt_tokens: noteOr('1200', '0'),
    completion_tokens: noteOr('300', '0'),
    channel: noteOr(`n % ${CHANNELS} + 1`, '0'),
    request_id: noteOr(`'bench-' || n`, 'null'),
    elapsed_time: noteOr('n * 104729 % 20000', '0'),
    first_token_time: noteOr('200', '0'),
    is_stream: noteOr('n % 2', '0'),
    outcome: noteOr(voidOr(`'settled'`, `'void'`), `''`),
    end_reason: endReason,
    endpoint: noteOr(ENDPOINTS, `''`),
    '"group"': noteOr(GROUPS, `''`),
    attempts: noteOr(`'${ATTEMPTS}'`, `'[]'`),
    basis: noteOr(voidOr(`'${BASIS}'`, `''`), `''`),
    provider_cost: noteOr(COST, '0'),
  }
  return `insert into logs (${Object.keys(columns).join(', ')})
${counting(logs)}, kinds as (select n, ${owner} as owner, ${at} as at, ${MODELS} as model,
  case when n % 50 < 2 then 'note' when n % 83 = 0 then 'void' when n % 89 = 0 then 'cut'
    else 'full' end as kind from numbers)
select ${Object.values(columns).join(', ')} from kinds;`
}

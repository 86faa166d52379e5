// Fills a migrated SQLite file with the data of years: fill-database.mjs FILE USERS TOKENS LOGS
// [log]. `log` omits the rollups, when only the log is measured.
import { DatabaseSync } from 'node:sqlite'

const [file, users, tokens, logs, only] = process.argv.slice(2)
/** Tokens of root, which runs the measurement: the maximum per account. */
const OWN_TOKENS = 900
const DAYS = 90
const CHANNELS = 100
const REDEMPTIONS = 10_000
const OPTION_CHANGES = 500

const now = Math.floor(Date.now() / 1000)
const database = new DatabaseSync(file)
const counting = (most) =>
  `with recursive numbers(n) as (values (1) union all select n + 1 from numbers where n < ${Number(most)})`
const MODELS = `case n % 5 when 0 then 'gpt-4o' when 1 then 'gpt-4o-mini' when 2 then 'claude-sonnet-4'
  when 3 then 'gemini-2.5-flash' else 'deepseek-chat' end`

const ENDPOINTS = `case n % 9 when 0 then 'embeddings' when 1 then 'responses' else 'chat' end`

const WHOSE_AND_WHEN = `select n, case when n % 53 = 0 then 1 else n * 7919 % ${Number(users)} + 2 end as owner,
  ${now} - ${DAYS} * 86400 + cast(n * (${DAYS} * 86400.0) / ${Number(logs)} as integer) as at from numbers`

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
const FIGURES = 'requests, prompt_tokens, completion_tokens, quota, provider_cost, costed_quota'
const SUMS = FIGURES.replaceAll(/\w+/g, 'sum($&)')
/** In nano-dollars. Every seventh request is sold below cost. */
const COST = 'case id % 7 when 0 then 400000 else 240000 end'
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

const SUMMED_UP = `
create temp table sums as select created_at / 3600 as hour, user_id, token_id, channel as channel_id,
  model_name, count(*) as requests, sum(prompt_tokens) as prompt_tokens,
  sum(completion_tokens) as completion_tokens, sum(quota) as quota,
  sum(provider_cost) as provider_cost, sum(quota) as costed_quota
from logs where type = 2 group by 1, 2, 3, 4, 5;

insert into rollups (hour, user_id, token_id, channel_id, model_name, requests, prompt_tokens,
  completion_tokens, quota)
select hour, user_id, token_id, channel_id, model_name, requests, prompt_tokens, completion_tokens,
  quota from sums;

insert into model_hours (hour, model_name, ${FIGURES})
select hour, model_name, ${SUMS} from sums group by 1, 2;

insert into channel_hours (hour, channel_id, ${FIGURES})
select hour, channel_id, ${SUMS} from sums group by 1, 2;

insert into user_hours (user_id, hour, model_name, ${FIGURES})
select user_id, hour, model_name, ${SUMS} from sums group by 1, 2, 3;

insert into group_hours (hour, group_name, ${FIGURES})
select hour, 'default', ${SUMS} from sums group by 1;

insert into ledger_days (user_id, token_id, day, charged, requests)
select user_id, token_id, hour / 24, sum(quota), sum(requests) from sums group by 1, 2, 3;

drop table sums;`

// Creating an index at the end takes a fraction of the time of updating it row by row.
const indexes = database
  .prepare(`select name, sql from sqlite_master where type = 'index' and sql is not null`)
  .all()

database.exec(`pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -400000; begin;
${indexes.map(({ name }) => `drop index "${String(name)}";`).join('\n')}

insert into users (username, username_folded, display_name, email, role, status, "group", aff_code,
  inviter_id, created_time, quota, used_quota, request_count)
${counting(users)} select 'user' || n, 'user' || n, 'User ' || n, 'user' || n || '@example.com', 1, 1,
  'default', printf('b%07x', n), case when n % 100 = 0 then 1 else 0 end, ${now} - 90 * 86400 + n,
  n * 7919 % 1000000, n * 104729 % 900000, n % 1000 from numbers;

insert into channels (type, key_sealed, status, name, models, "group", created_time, response_time)
${counting(CHANNELS)} select 1, key_sealed, 2, 'spare ' || n, 'gpt-4o,gpt-4o-mini', 'default', ${now}, n
  from numbers, (select key_sealed from channels where id = 1);

insert into tokens (user_id, key_hash, key_sealed, status, name, created_time, accessed_time,
  expired_time, remain_quota, used_quota)
${counting(tokens)} select case when n <= ${OWN_TOKENS} then 1 else n * 7919 % ${Number(users)} + 2 end,
  'bench-' || n, key_sealed, 1, 'token' || n, ${now}, ${now}, -1, n * 7919 % 1000000, n * 31 % 90000
  from numbers, (select key_sealed from tokens where id = 1);

insert into redemptions (user_id, key, status, name, quota, created_time)
${counting(REDEMPTIONS)} select 1, printf('%032d', n), 1, 'shop ' || n, 500000, ${now} from numbers;

insert into option_changes (key, actor_id, actor_name, before, after, created_at)
${counting(OPTION_CHANGES)} select 'Notice', 1, 'root', 'before', 'after', ${now} from numbers;

insert into logs (user_id, created_at, type, content, username, token_id, token_name, model_name,
  upstream_model, quota, prompt_tokens, completion_tokens, channel, request_id, elapsed_time,
  first_token_time, is_stream, outcome, end_reason, endpoint, attempts, basis)
${counting(logs)} select owner, at, 2, 'model ratio 0.075, group ratio 1', 'user' || owner, owner,
  'token' || owner, ${MODELS}, ${MODELS}, n * 7919 % 5000 + 1, 1200, 300, n % ${CHANNELS} + 1,
  'bench-' || n, n * 104729 % 20000, 200, n % 2, 'settled', 'finished', ${ENDPOINTS}, '${ATTEMPTS}',
  '${BASIS}' from (${WHOSE_AND_WHEN});

update logs set outcome = 'void', quota = 0, basis = '', end_reason = case id % 3
  when 0 then 'upstream_error' when 1 then 'no_channel' else 'request_refused' end
  where id % 83 = 0;

update logs set type = id % 50 * 2 + 1, content = 'Quota changed: $1.00 → $2.00', outcome = '', quota = 0,
  token_id = 0, token_name = '', model_name = '', upstream_model = '', prompt_tokens = 0,
  completion_tokens = 0, channel = 0, request_id = null, elapsed_time = 0, end_reason = '', endpoint = '', first_token_time = 0,
  is_stream = 0, attempts = '[]', basis = '' where id % 50 < 2;

update logs set provider_cost = ${COST} where type = 2;

${only === 'log' ? '' : SUMMED_UP}
${indexes.map(({ sql }) => `${String(sql)};`).join('\n')}
commit;`)
database.close()

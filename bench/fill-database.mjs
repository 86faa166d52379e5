// Fills a migrated SQLite file with the data of years: fill-database.mjs FILE USERS TOKENS LOGS
// [log]. `log` omits the rollups, when only the log is measured.
import { DatabaseSync } from 'node:sqlite'
import { CHANNELS, counting, logsOf, NOW, usersOf } from './fill-log.mjs'

const [file, users, tokens, logs, only] = process.argv.slice(2)
/** Tokens of root, which runs the measurement: the maximum per account. */
const OWN_TOKENS = 900
const REDEMPTIONS = 10_000
const OPTION_CHANGES = 500

const database = new DatabaseSync(file)
const FIGURES = 'requests, prompt_tokens, completion_tokens, quota, provider_cost, costed_quota'
const SUMS = FIGURES.replaceAll(/\w+/g, 'sum($&)')

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

${usersOf(users)}

insert into channels (type, key_sealed, status, name, models, "group", created_time, response_time)
${counting(CHANNELS)} select 1, key_sealed, 2, 'spare ' || n, 'gpt-4o,gpt-4o-mini', 'default', ${NOW}, n
  from numbers, (select key_sealed from channels where id = 1);

-- Without these sums, the console would guide root to the first request.
update channels set used_quota = id * 104729 % 900000 + 1;
update users set used_quota = 900000, request_count = 1000 where id = 1;

insert into tokens (user_id, key_hash, key_sealed, status, name, created_time, accessed_time,
  expired_time, remain_quota, used_quota)
${counting(tokens)} select case when n <= ${OWN_TOKENS} then 1 else n * 7919 % ${Number(users)} + 2 end,
  'bench-' || n, key_sealed, 1, 'token' || n, ${NOW}, ${NOW}, -1, n * 7919 % 1000000, n * 31 % 90000
  from numbers, (select key_sealed from tokens where id = 1);

insert into redemptions (user_id, key, status, name, quota, created_time)
${counting(REDEMPTIONS)} select 1, printf('%032d', n), 1, 'shop ' || n, 500000, ${NOW} from numbers;

insert into option_changes (key, actor_id, actor_name, before, after, created_at)
${counting(OPTION_CHANGES)} select 'Notice', 1, 'root', 'before', 'after', ${NOW} from numbers;

${logsOf({ users, logs })}

${only === 'log' ? '' : SUMMED_UP}
${indexes.map(({ sql }) => `${String(sql)};`).join('\n')}
commit;`)
database.close()

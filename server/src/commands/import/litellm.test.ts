import { createCipheriv, createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { memoryFolder } from '../../../testing/harness/memory-folder.ts'
import {
  type ImportWorld,
  openImportWorld,
  SECRET_KEY,
} from '../../../testing/import/import-world.ts'
import { openPeer, type PeerDatabase } from '../../../testing/import/peer-database.ts'
import { createAuthenticate } from '../../gateway/intake/authenticate.ts'
import { deriveSecrets } from '../../secrets.ts'

const KEY = 'sk-Zm9vYmFy-_c2VjcmV0cw'
const SALT = 'a salt of the tests'
const HASH = createHash('sha256').update(KEY).digest('hex')
const secrets = deriveSecrets(SECRET_KEY)

const TABLES = `
create table "LiteLLM_UserTable" (user_id text primary key, user_alias text, user_email text,
  user_role text, max_budget double precision, spend double precision default 0,
  budget_duration text, models text[], teams text[]);
create table "LiteLLM_TeamTable" (team_id text primary key, team_alias text,
  max_budget double precision, spend double precision default 0, models text[], blocked boolean);
create table "LiteLLM_VerificationToken" (token text primary key, key_name text, key_alias text,
  spend double precision default 0, expires timestamp(3), models text[], user_id text,
  team_id text, max_budget double precision, budget_duration text, blocked boolean,
  created_at timestamp(3));
create table "LiteLLM_ProxyModelTable" (model_id text primary key, model_name text,
  litellm_params jsonb, model_info jsonb);
create table "LiteLLM_SpendLogs" (request_id text primary key, api_key text,
  spend double precision, prompt_tokens int, completion_tokens int, "startTime" timestamp(3),
  "endTime" timestamp(3), "completionStartTime" timestamp(3), model text, model_group text,
  "user" text, team_id text);
insert into "LiteLLM_UserTable" (user_id, user_email, user_role, max_budget, spend) values
  ('u-1', 'Ann@example.com', 'internal_user', 10, 2.5);
insert into "LiteLLM_TeamTable" (team_id, team_alias, max_budget, spend) values
  ('t-1', 'research', 100, 1);
insert into "LiteLLM_VerificationToken"
  (token, key_alias, user_id, team_id, spend, max_budget, budget_duration, models, expires) values
  ('${HASH}', 'notebook', 'u-1', null, 2.5, null, null, '{}', '2030-01-01 00:00:00'),
  ('${'b'.repeat(64)}', 'shared', 'u-1', 't-1', 1, 5, '7d', '{gpt-4o}', null);
insert into "LiteLLM_SpendLogs" values
  ('r1', '${HASH}', 2.5, 1000, 50, '2026-11-01 10:00:00.500', '2026-11-01 10:00:02.500', null,
    'openai/gpt-4o', 'gpt-4o', 'u-1', null),
  ('r2', '${'b'.repeat(64)}', 1, 10, 5, '2026-11-01 10:00:00.500', '2026-11-01 10:00:01.500',
    null, 'gpt-4o', '', '', 't-1');`

const CONFIG = `
model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o-2024, api_key: os.environ/TEST_OPENAI_KEY }
    model_info: { input_cost_per_token: 0.000004, output_cost_per_token: 0.000012 }
  - model_name: sonnet
    litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: sk-ant }
  - model_name: local
    litellm_params: { model: openai/llama, api_base: "http://10.0.0.7:8000/v1", api_key: x }
  - model_name: cloud
    litellm_params: { model: bedrock/titan, api_key: y }
  - model_name: missing
    litellm_params: { model: groq/llama, api_key: os.environ/NOT_SET_HERE }
  - model_name: "*"
    litellm_params: { model: "*" }
router_settings: { num_retries: 2 }
`

function seal(text: string): string {
  const nonce = Buffer.alloc(12, 7)
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(SALT).digest(), nonce)
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()])
  return `v2:gcm:${Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url')}`
}

describe.each(DATABASES)('an import of LiteLLM into %s', (kind) => {
  let world: ImportWorld
  let peer: PeerDatabase
  let folder: string

  beforeEach(async () => {
    vi.stubEnv('LITELLM_SALT_KEY', SALT)
    vi.stubEnv('TEST_OPENAI_KEY', 'sk-from-the-environment')
    world = await openImportWorld(kind)
    peer = await openPeer('postgres', {})
    await peer.run(TABLES)
    folder = await mkdtemp(path.join(memoryFolder(), 'tollgate-litellm-'))
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await world.close()
    await peer.close()
    await rm(folder, { recursive: true, force: true })
  })

  const callerOf = (key: string) =>
    world.within(async (database) => {
      const request = new IncomingMessage(new Socket())
      request.headers.authorization = `Bearer ${key}`
      return createAuthenticate(database, secrets, { monotonic: () => 1 }).caller(request)
    })

  test('keys work although only their hashes are known, and balances are what is left', async () => {
    const lines = await world.importFrom([peer.from])
    expect(lines).toContain('users: 3 new')
    expect(await world.audit()).toEqual([])
    const first = await callerOf(KEY)
    expect(first).toMatchObject({
      user: { username: 'Ann', quota: 3_750_000 },
      token: { name: 'notebook', unlimited_quota: 1, expired_time: 1_893_456_000 },
    })
    expect(await callerOf(KEY)).toMatchObject({ token: { id: first.token.id } })
    await expect(callerOf(`${KEY}x`)).rejects.toThrow()
    await world.within(async ({ kysely }) => {
      const tokens = await kysely.selectFrom('tokens').selectAll().orderBy('name').execute()
      const [notebook, shared] = tokens.filter(({ name }) => name !== 'imported')
      expect(secrets.openRelayKey(notebook?.key_sealed ?? '')).toBe(KEY.slice('sk-'.length))
      expect(shared).toMatchObject({
        budget_quota: 2_500_000,
        budget_period: 'week',
        models: 'gpt-4o',
        used_quota: 500_000,
      })
      const team = kysely.selectFrom('users').selectAll().where('username', '=', 'research')
      expect(await team.executeTakeFirst()).toMatchObject({
        quota: 49_500_000,
        id: shared?.user_id,
      })
      const logs = await kysely.selectFrom('logs').selectAll().where('type', '=', 2).execute()
      expect(logs.map(({ quota, elapsed_time }) => [quota, elapsed_time])).toEqual([
        [1_250_000, 2000],
        [500_000, 1000],
      ])
    })
    expect(await world.importFrom([peer.from])).toContain('users: 3 same')
  })

  test('models of the configuration and the database become channels', async () => {
    const config = path.join(folder, 'config.yaml')
    await writeFile(config, CONFIG)
    const params = JSON.stringify({
      model: seal('deepseek/deepseek-chat'),
      api_key: seal('sk-deep'),
    })
    const legacy = JSON.stringify({ model: 'c2VhbGVkIGJ5IHNlY3JldGJveA==' })
    await peer.run(`insert into "LiteLLM_ProxyModelTable" values ('1', 'deep', '${params}', '{}'),
      ('2', 'older', '${legacy}', '{}')`)
    const lines = await world.importFrom([peer.from, config])
    expect(lines).toContain('Models whose parameters cannot be opened (1)')
    expect(lines).toContain('  missing: set NOT_SET_HERE')
    expect(lines).toContain('  LiteLLM bedrock: bedrock has no counterpart')
    await world.within(async ({ kysely }) => {
      const rows = await kysely.selectFrom('channels').selectAll().orderBy('id').execute()
      const shown = rows.map(({ type, status, models, base_url, model_mapping, key_sealed }) => [
        type,
        status,
        models,
        base_url,
        model_mapping,
        secrets.openChannelKey(key_sealed),
      ])
      expect(shown).toEqual([
        [1, 1, 'gpt-4o', '', '{"gpt-4o":"gpt-4o-2024"}', 'sk-from-the-environment'],
        [14, 1, 'sonnet', '', '{"sonnet":"claude-sonnet-4-5"}', 'sk-ant'],
        [8, 1, 'local', 'http://10.0.0.7:8000', '{"local":"llama"}', 'x'],
        [8, 2, 'cloud', '', '{"cloud":"titan"}', 'y'],
        [36, 1, 'deep', '', '{"deep":"deepseek-chat"}', 'sk-deep'],
      ])
      const options = await kysely.selectFrom('options').selectAll().execute()
      expect(options).toContainEqual({ key: 'ModelRatio', value: '{"gpt-4o":2}' })
      expect(options).toContainEqual({ key: 'RetryTimes', value: '2' })
    })
  })
})

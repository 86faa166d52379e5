import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openUpgraded } from '../../../testing/harness/former-database.ts'

const FULL = 'https://me:planted@hooks.example/services/planted-token?key=planted'
const HIDDEN = 'https://hooks.example/••••'
const noteOf = (key: string, before: string, after: string) =>
  JSON.stringify({
    en: `Name (${key}): ${before} → ${after}`,
    zh: `名 (${key}): ${before} → ${after}`,
  })

test.each(DATABASES)(
  'addresses that older versions noted in full are masked, and all else stays, on %s',
  async (kind) => {
    const kept = noteOf('ServerAddress', 'https://a.example/path', 'https://b.example/other')
    const { kysely } = await openUpgraded(kind, '0038-batch-disabling', async (before) => {
      const contents = [
        noteOf('AlertWebhookAddress', '', FULL),
        noteOf('AlertFeishuAddress', FULL, 'https://plain.example/'),
        noteOf('MessagePusherAddress', 'https://plain.example', 'not an address: https://'),
        kept,
      ]
      for (const content of contents) {
        await sql`insert into logs (type, user_id, username, created_at, content)
          values (3, 1, 'root', 5, ${content})`.execute(before)
      }
      const by = { actor_id: 1, actor_name: 'root', created_at: 5 }
      const changes = [
        { key: 'AlertWebhookAddress', before: '', after: FULL, ...by },
        { key: 'ServerAddress', before: FULL, after: '', ...by },
      ]
      await before.insertInto('option_changes').values(changes).execute()
    })

    const logs = await kysely.selectFrom('logs').select('content').orderBy('id').execute()
    expect(logs.map(({ content }) => content)).toEqual([
      noteOf('AlertWebhookAddress', '', HIDDEN),
      noteOf('AlertFeishuAddress', HIDDEN, 'https://plain.example/'),
      noteOf('MessagePusherAddress', 'https://plain.example', 'not an address: https://'),
      kept,
    ])
    const changes = kysely.selectFrom('option_changes').select(['before', 'after']).orderBy('id')
    expect(await changes.execute()).toEqual([
      { before: '', after: HIDDEN },
      { before: FULL, after: '' },
    ])
  },
)

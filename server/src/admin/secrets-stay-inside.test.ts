import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changesState, isOptionKey, listEndpoints, OPTIONS, ROLE } from '@tollgate/contract'
import {
  accessTokenOf,
  channelForm,
  type ControlPlane,
  idsOf,
  keyOf,
  openControlPlane,
  type Person,
  tokenForm,
} from '../../testing/control-plane.ts'
import { DATABASES } from '../../testing/databases.ts'

const CHANNEL_KEY = 'planted-channel-key'
const PASSWORD = 'planted-password'
const SECRET_OPTIONS = Object.keys(OPTIONS).filter((key) => isOptionKey(key) && OPTIONS[key].secret)

/** Every GET that changes nothing; a query that is missing is refused, which may tell no secret either. */
const READING = listEndpoints()
  .filter(({ endpoint }) => endpoint.method === 'GET' && !changesState(endpoint))
  .map(({ endpoint }) => endpoint.path)

describe.each(DATABASES)('secrets on %s', (kind) => {
  let plane: ControlPlane
  let root: Person
  let user: Person
  let relayKey: string
  let channelId: number

  beforeAll(async () => {
    plane = await openControlPlane(kind)
    root = await plane.addPerson(ROLE.root)
    user = await plane.addPerson()
    const token = await plane.call('POST', '/api/token/', { as: user, body: tokenForm })
    relayKey = keyOf(token)
    const channel = { ...channelForm, key: CHANNEL_KEY, base_url: 'http://127.0.0.1:1' }
    const created = await plane.call('POST', '/api/channel/', { as: root, body: channel })
    channelId = idsOf(created)[0] ?? 0
    await plane.call('PUT', '/api/user/self', { as: user, body: { password: PASSWORD } })
    for (const key of SECRET_OPTIONS) {
      const body = { key, value: `planted-${key}` }
      const changed = await plane.call('PUT', '/api/option/', { as: root, body })
      expect(changed.success, changed.message).toBe(true)
    }
  })
  afterAll(() => plane.close())

  const planted = async () => {
    const rows = await plane.database.kysely
      .selectFrom('users')
      .select(['password_hash', 'access_token_hash'])
      .execute()
    const tokens = await plane.database.kysely
      .selectFrom('tokens')
      .select(['key_hash', 'key_sealed'])
      .execute()
    const hashes = [...rows, ...tokens].flatMap((row) => Object.values(row).filter(Boolean))
    expect(hashes.length).toBeGreaterThan(3)
    const options = SECRET_OPTIONS.map((key) => `planted-${key}`)
    expect(options.length).toBeGreaterThan(6)
    const keys = [relayKey, accessTokenOf(user), accessTokenOf(root)]
    const sessions = [user.session, root.session]
    return [CHANNEL_KEY, PASSWORD, ...options, ...keys, ...sessions, ...hashes].map(String)
  }

  test('no answer to an administrator holds one', async () => {
    const paths = [
      ...READING.map((path) => `${path.replace(':id', '1')}?size=100`),
      `/api/user/${user.id}`,
      `/api/channel/${channelId}`,
      `/api/channel/test/${channelId}`,
    ]
    const texts = []
    for (const path of paths) texts.push((await plane.call('GET', path, { as: root })).text)
    const edits = [
      { path: '/api/user/', body: { id: user.id, display_name: 'x' } },
      { path: '/api/channel/', body: { id: channelId, name: 'x' } },
    ]
    for (const { path, body } of edits) {
      texts.push((await plane.call('PUT', path, { as: root, body })).text)
    }
    const answers = texts.join('\n')
    for (const secret of await planted()) expect(answers).not.toContain(secret)
  })

  test('a user sees their own relay key and nothing else of the kind', async () => {
    const { text } = await plane.call('GET', '/api/token/', { as: user })
    expect(text).toContain(relayKey)
    const texts = [text]
    for (const path of READING) {
      texts.push((await plane.call('GET', path.replace(':id', '1'), { as: user })).text)
    }
    const others = (await planted()).filter((secret) => secret !== relayKey)
    for (const secret of others) expect(texts.join('\n')).not.toContain(secret)
  })

  test('a fault of ours is a 500 without detail, told in the log without a secret', async () => {
    await plane.database.kysely.schema.alterTable('tokens').renameTo('tokens_away').execute()
    const body = { ...tokenForm, name: 'planted-name' }
    const answer = await plane.call('POST', '/api/token/', { as: user, body })
    await plane.database.kysely.schema.alterTable('tokens_away').renameTo('tokens').execute()
    expect([answer.status, answer.success]).toEqual([500, false])
    const requestId = String(answer.headers['x-oneapi-request-id'])
    expect(answer.message).toContain(requestId)
    expect(answer.text).not.toMatch(/tokens|select|sql/i)
    const lines = plane.logLines.join('')
    expect(lines).toContain(requestId)
    for (const secret of await planted()) expect(lines).not.toContain(secret)
    expect(lines).not.toContain('planted-name')
  })
})

import { beforeAll, describe, expect, test } from 'vitest'
import { CHANNEL_STATUS, ROLE } from '@tollgate/contract'
import { openConfigWorld } from '../../../testing/config/config-world.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { channelForm, idsOf, type Person, rowsOf } from '../../../testing/worlds/control-plane.ts'
import { audit } from '../../ledger/audit/audit.ts'
import { listConfiguredChannels } from '../../store/channels.ts'

const SECRETS = ['sk-first-key', 'sk-second-key', 'swordfish', 'team-secret']
const env = { KEY_1: SECRETS[0], KEY_2: SECRETS[1], MAIL: SECRETS[2], TEAM: SECRETS[3] }

const FILE = `version: 1
groups:
  default: { ratio: 1, requests_per_minute: 60 }
  vip: { ratio: 0.8 }
prices:
  acme-1: { input: 3, output: 15, cached: 0.3 }
  acme-sketch: { per_call: 0.04 }
  acme-odd: { ratios: { completion: 3 } }
limits:
  user: { concurrent_requests: 7 }
options:
  SMTPServer: mail.example.com
  SMTPToken: env:MAIL
  RetryTimes: 5
channels:
  - name: first
    type: openai
    key: env:KEY_1
    models: [acme-1, acme-sketch]
    groups: [default, vip]
    config: { headers: { X-Team: env:TEAM } }
  - name: second
    type: anthropic-claude
    keys: [env:KEY_1, env:KEY_2]
    models: [acme-1]
    model_mapping: { acme-1: claude }
    priority: 3
`

const LOCKED = `locked: true\n${FILE}`

describe.each(DATABASES)('a configuration file on %s', (kind) => {
  let admin: Person
  const world = openOnce(() => openConfigWorld(kind))
  beforeAll(async () => {
    admin = await world.plane.addPerson(ROLE.admin)
  })
  const change = (text: string, from: string, to: string) => {
    expect(text).toContain(from)
    return text.replace(from, to)
  }
  const put = (path: string, body: object) => world.plane.call('PUT', path, { as: admin, body })
  const setOption = (key: string, value: unknown) =>
    put('/api/option/', { key, value: typeof value === 'string' ? value : JSON.stringify(value) })
  const channels = () => listConfiguredChannels(world.plane.database.kysely)
  const channelNamed = async (name: string) => {
    const found = (await channels()).find((row) => row.name === name)
    if (found === undefined) throw new Error(`there is no channel ${name}`)
    return found
  }

  test('is written as a whole, keeps balances, and makes no difference again', async () => {
    const customer = await world.plane.addPerson(ROLE.user, 1234)
    await put('/api/price/model', {
      model: 'acme-1',
      price: { input: 9, output: 9 },
      from: '2999-01-01',
    })
    const first = await world.apply(FILE, { env })
    expect(first.lines).toEqual([
      '~ option options.SMTPServer: "" → mail.example.com',
      '~ option options.SMTPToken: (secret)',
      '~ option options.RetryTimes: 3 → 5',
      '~ option limits.user.concurrent_requests: 0 → 7',
      '~ group default',
      '    requests_per_minute: 60',
      '~ group vip',
      '    ratio: 1 → 0.8',
      '+ price acme-1',
      '    value: {"input":3,"output":15,"cached":0.3}',
      '    planned: ["2999-01-01"] → none',
      '+ price acme-sketch: {"per_call":0.04}',
      '+ price acme-odd: {"ratios":{"completion":3}}',
      expect.stringMatching(/^\+ channel first/),
      ...Array.from({ length: 4 }, () => expect.any(String)),
      expect.stringMatching(/^\+ channel second/),
      ...Array.from({ length: 4 }, () => expect.any(String)),
    ])
    const { settings, secrets } = world.plane
    expect(settings.current()).toMatchObject({
      RetryTimes: 5,
      SMTPToken: 'swordfish',
      UserConcurrentRequests: 7,
      GroupRatio: { default: 1, vip: 0.8, svip: 1 },
      GroupRequestsPerMinute: { default: 60 },
      ModelRatio: { 'acme-1': 1.5 },
      CompletionRatio: { 'acme-1': 5, 'acme-odd': 3 },
      ModelPrice: { 'acme-sketch': 0.04 },
    })
    expect(settings.planned()).toEqual([])
    const second = await channelNamed('second')
    expect(secrets.openChannelKey(second.key_sealed)).toBe('sk-first-key\nsk-second-key')
    expect(await channelNamed('first')).toMatchObject({
      group: 'default,vip',
      config: '{"headers":{"X-Team":"team-secret"}}',
    })
    const history = await world.plane.call('GET', '/api/option/changes', { as: admin })
    expect(JSON.stringify(history.data)).toContain('"key":"RetryTimes"')
    expect(await audit(world.plane.database)).toEqual([])
    const user = await world.plane.call('GET', `/api/user/${customer.id}`, { as: world.root })
    expect(user.data).toMatchObject({ quota: 1234 })

    const before = await world.plane.database.kysely
      .selectFrom('option_changes')
      .selectAll()
      .execute()
    expect((await world.apply(FILE, { env })).lines).toEqual([])
    expect((await world.diff(FILE, { env })).lines).toEqual([])
    const after = await world.plane.database.kysely
      .selectFrom('option_changes')
      .selectAll()
      .execute()
    expect(after).toEqual(before)
  })

  test('changes of secrets are found and never printed', async () => {
    const others = { ...env, KEY_1: 'sk-other', TEAM: 'other-team', MAIL: 'trout' }
    const { lines, json } = await world.diff(FILE, { env: others })
    expect(lines).toEqual([
      '~ option options.SMTPToken: (secret)',
      '~ channel first',
      '    config: (secret)',
      '    key: (secret)',
      '~ channel second',
      '    key: (secret)',
    ])
    for (const secret of [...SECRETS, 'sk-other', 'other-team', 'trout']) {
      expect(lines.join('\n') + json).not.toContain(secret)
    }
    await world.apply(FILE, { env: others })
    expect((await world.diff(FILE, { env: others })).lines).toEqual([])
    await world.apply(FILE, { env })
  })

  test('edits of the console are found, and undone', async () => {
    const { id } = await channelNamed('first')
    await put('/api/channel/', { id, priority: 9, name: 'renamed', models: 'acme-1' })
    await setOption('RetryTimes', 1)
    expect((await world.apply(FILE, { env })).lines).toEqual([
      '~ option options.RetryTimes: 1 → 5',
      '~ channel first',
      '    name: renamed → first',
      '    models: ["acme-1"] → ["acme-1","acme-sketch"]',
      '    priority: 9 → 0',
    ])
    expect(await channelNamed('first')).toMatchObject({ id, priority: 0 })
  })

  test('references without a value stop the writing, and are not compared', async () => {
    const without = { ...env, MAIL: '' }
    const missing = 'options.SMTPToken: env:MAIL is not set'
    expect((await world.diff(FILE, { env: without })).lines).toEqual([
      `? ${missing}, so it was not compared`,
    ])
    expect((await world.apply(FILE, { env: without })).lines).toEqual([`13:3: ${missing}`])
  })

  test('a rule that only the installation knows stops everything, with its place', async () => {
    const broken = change(FILE, 'RetryTimes: 5', 'RetryTimes: 6\n  OidcEnabled: true')
    const refused = await world.apply(broken, { env })
    expect(refused.lines).toEqual([
      expect.stringMatching(/^15:3: options\.OidcEnabled: Set these before/),
    ])
    expect(world.plane.settings.current().RetryTimes).toBe(5)
    const unknown = change(FILE, 'groups: [default, vip]', 'groups: [vipp]')
    expect((await world.apply(unknown, { env })).lines).toEqual([
      '20:14: channels[0].groups[0]: is an unknown group; did you mean "vip"?',
    ])
    const twins = await world.plane.call('POST', '/api/channel/', {
      as: admin,
      body: { ...channelForm, name: 'twin', key: 'sk-a\nsk-b' },
    })
    const twin = '  - { name: twin, type: openai, key: env:KEY_1, models: [a] }\n'
    expect((await world.apply(FILE + twin, { env })).lines).toEqual([
      `28:7: channels[2].name: is the name of several channels, with the ids ${idsOf(twins).join(', ')}; rename all but one`,
    ])
  })

  test('only --prune deletes a channel, only one that a file managed, after a list', async () => {
    const shorter = FILE.slice(0, FILE.indexOf('  - name: second'))
    const other = (await channels()).filter(({ name }) => name === 'twin').length
    const { id } = await channelNamed('second')
    expect((await world.diff(shorter, { env, prunes: true })).lines).toEqual(['- channel second'])
    expect((await world.diff(shorter, { env })).lines).toEqual([
      '  channel second has left the file; --prune deletes it',
    ])
    const stop = () => {
      throw new Error('not confirmed')
    }
    await expect(world.apply(shorter, { env, prunes: true, confirm: stop })).rejects.toThrow()
    expect(await channelNamed('second')).toMatchObject({ id })
    await world.apply(shorter, { env, prunes: true })
    expect((await channels()).map(({ name }) => name)).not.toContain('second')
    expect((await channels()).filter(({ name }) => name === 'twin')).toHaveLength(other)
    // Without --prune the file lets go of the channel, which a later --prune leaves alone.
    await world.apply(FILE, { env })
    expect((await world.apply(shorter, { env })).lines).toEqual([
      '  the file no longer manages channel second; delete it in the console',
    ])
    expect((await world.diff(shorter, { env, prunes: true })).lines).toEqual([])
    await world.apply(FILE, { env })
  })

  test('a channel that is renamed in the console and the file is not pruned', async () => {
    const { id } = await channelNamed('second')
    await put('/api/channel/', { id, name: 'later' })
    const renamed = change(FILE, 'name: second', 'name: later')
    expect((await world.diff(renamed, { env })).lines).toEqual([])
    // A file with both names gets a channel for each, whatever their order.
    const entry = FILE.slice(FILE.indexOf('  - name: second'))
    const both = change(renamed, '    priority: 3\n', `    priority: 3\n${entry}`)
    const { lines } = await world.apply(both, { env })
    expect(lines).toContainEqual(expect.stringMatching(/^\+ channel later/))
    expect(lines).toContain('    name: later → second')
    expect(await channelNamed('second')).toMatchObject({ id })
    expect((await channelNamed('later')).id).not.toBe(id)
    expect((await world.diff(both, { env })).lines).toEqual([])

    await world.apply(FILE, { env, prunes: true })
    await put('/api/channel/', { id, name: 'later' })
    expect((await world.apply(renamed, { env, prunes: true })).lines).toEqual([])
    expect(await channelNamed('later')).toMatchObject({ id })
    await world.apply(FILE, { env, prunes: true })
    await world.apply(FILE, { env })
  })

  test('a channel with headers moves to another address', async () => {
    const models = '    models: [acme-1, acme-sketch]\n'
    const moved = change(FILE, models, `${models}    base_url: https://acme.example\n`)
    expect((await world.apply(moved, { env })).lines).toEqual([
      '~ channel first',
      '    base_url: "" → https://acme.example',
    ])
    expect(await channelNamed('first')).toMatchObject({
      base_url: 'https://acme.example',
      config: '{"headers":{"X-Team":"team-secret"}}',
    })
    await world.apply(FILE, { env })
  })

  test('a locked file keeps the API from changing what it names, and nothing else', async () => {
    expect((await world.apply(LOCKED, { env })).lines).toEqual(['~ file locked: false → true'])
    const { id } = await channelNamed('first')
    const [free = 0] = (await channels()).flatMap((row) => (row.name === 'twin' ? [row.id] : []))
    const settings = world.plane.settings.current()
    const call = (method: 'POST' | 'DELETE', path: string, body?: object) =>
      world.plane.call(method, path, { as: admin, ...(body && { body }) })
    const refused = [
      setOption('RetryTimes', 4),
      setOption('SMTPToken', 'trout'),
      setOption('UserConcurrentRequests', 8),
      setOption('GroupRatio', { ...settings.GroupRatio, vip: 2 }),
      setOption('ModelRatio', { ...settings.ModelRatio, 'acme-1': 2 }),
      setOption('ModelPrice', {}),
      put('/api/price/model', { model: 'acme-1', price: { per_call: 1 } }),
      put('/api/price/model', { model: 'acme-1', price: { per_call: 1 }, from: '2999-01-01' }),
      call('POST', '/api/option/group/move', { from: 'vip', to: 'gold' }),
      put('/api/channel/', { id, priority: 4 }),
      put('/api/channel/', { id, key: 'sk-new' }),
      call('POST', '/api/channel/keys', { id, key: 'sk-new' }),
      call('DELETE', `/api/channel/${id}`),
    ]
    for (const answer of await Promise.all(refused)) {
      expect(answer).toMatchObject({
        success: false,
        message: expect.stringMatching(/is managed by the configuration file tollgate\.yaml/),
      })
    }
    expect((await world.diff(LOCKED, { env })).lines).toEqual([])
    const allowed = [
      await setOption('RetryTimes', 5),
      await setOption('SystemName', 'Acme'),
      await setOption('GroupRatio', { ...settings.GroupRatio, gold: 2 }),
      await setOption('ModelRatio', { ...settings.ModelRatio, free: 2 }),
      await put('/api/price/model', { model: 'other', price: { per_call: 1 } }),
      await put('/api/channel/', { id: free, priority: 4 }),
      await put('/api/channel/', { id, status: CHANNEL_STATUS.disabled }),
      await call('DELETE', '/api/channel/disabled'),
    ]
    expect(allowed.map(({ message }) => message)).toEqual(allowed.map(() => ''))
    expect(await channelNamed('first')).toMatchObject({ status: CHANNEL_STATUS.disabled })
    const managed = await world.plane.call('GET', '/api/option/managed', { as: admin })
    expect(managed.data).toMatchObject({
      file: 'tollgate.yaml',
      locked: true,
      options: expect.arrayContaining(['RetryTimes', 'SMTPToken', 'UserConcurrentRequests']),
      groups: ['default', 'vip'],
      prices: ['acme-1', 'acme-odd', 'acme-sketch'],
      channels: expect.arrayContaining([id]),
    })
    await world.apply('version: 1', {})
    expect(await setOption('RetryTimes', 4)).toMatchObject({ success: true })
    expect(rowsOf(await world.plane.call('GET', '/api/channel/', { as: admin }))).not.toEqual([])
  })
})

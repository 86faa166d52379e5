import { expect, test } from 'vitest'
import type { ChannelImport } from '@tollgate/contract'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'
import { readChannel, storedRows } from '../../../testing/worlds/rows.ts'

type FileRow = Record<string, unknown> & { name: string }

const SECRET_CONFIG = JSON.stringify({
  proxy: 'http://bob:hidden-pass@127.0.0.1:1',
  headers: { 'X-Key': 'hidden-header' },
})

const ownFile = (...channels: object[]) => ({ format: 'tollgate-channels', channels })

describePlane('files of channels', ['admin', 'root'], ({ plane, admin, root }) => {
  const create = (form: object) => plane.addChannel(admin, form)

  const rowsOf = async (method: 'GET' | 'POST', as: Person) => {
    const answer = await plane.done(method, '/api/channel/export', { as })
    // Safe because the answer's schema has these fields.
    return { text: answer.text, ...(answer.data as { format: string; channels: FileRow[] }) }
  }

  const send = (path: '' | '/preview', body: object) =>
    plane.call('POST', `/api/channel/import${path}`, { as: admin, body })

  const preview = async (file: unknown, language = 'en') => {
    const answer = await plane.done('POST', '/api/channel/import/preview', {
      as: admin,
      body: { file: JSON.stringify(file) },
      headers: { 'accept-language': language },
    })
    return answer.data as ChannelImport // safe because it is the answer's schema
  }

  const stored = (id: number) => readChannel(plane, id)

  const keyOf = async (id: number) => plane.secrets.openChannelKey((await stored(id)).key_sealed)

  test('an export has keys only for root, on request and after a confirmation', async () => {
    const id = await create({ name: 'exported', key: 'sk-hidden-key', config: SECRET_CONFIG })
    const { text, format, channels } = await rowsOf('GET', admin)
    expect(text).not.toMatch(/hidden-|key_sealed/)
    expect(format).toBe('tollgate-channels')
    expect(channels.find((row) => row['id'] === id)).toMatchObject({ name: 'exported', type: 1 })

    const refused = await plane.call('POST', '/api/channel/export', { as: admin })
    expect([refused.success, refused.text.includes('hidden-')]).toEqual([false, false])
    const confirm = (confirmed_at: number) =>
      plane.database.kysely.updateTable('sessions').set({ confirmed_at }).execute()
    await confirm(0)
    const unconfirmed = await plane.call('POST', '/api/channel/export', { as: root })
    expect(unconfirmed.text).toContain('confirmation_needed')
    await confirm(Math.floor(plane.clock.now / 1000))
    const full = await rowsOf('POST', root)
    expect(full.channels.find((row) => row['id'] === id)).toMatchObject({
      config: SECRET_CONFIG,
      keys: [{ key: 'sk-hidden-key', enabled: true }],
    })
  })

  test('a preview names what is new, changed, unchanged and wrong, and changes nothing', async () => {
    const ids = [
      await create({ name: 'changed', key: 'sk-old-0123456789-0123456789', priority: 1 }),
      await create({ name: 'same', config: SECRET_CONFIG }),
      await create({ name: 'moved' }),
    ]
    const before = await Promise.all(ids.map(stored))
    const { channels } = await rowsOf('GET', admin)
    const rowOf = (name: string) => ({ ...channels.find((row) => row.name === name) })
    const keys = [
      { key: 'sk-new-0123456789-9876543210', enabled: true },
      { key: 'sk-off-0123456789-0123456789', enabled: false },
    ]
    const file = ownFile(
      { ...rowOf('changed'), priority: 7, models: 'gpt-4o,gpt-4.1', keys },
      rowOf('same'),
      { name: 'added', type: 1, models: 'gpt-4o', keys: [{ key: 'sk-1', enabled: true }] },
      { name: 'keyless', type: 1, models: 'gpt-4o' },
      { name: 'typeless', type: 9999, models: 'gpt-4o', keys: keys.slice(0, 1) },
      { ...rowOf('moved'), base_url: 'https://elsewhere.example' },
      { ...rowOf('same'), weight: 'heavy' },
    )
    const answer = await preview(file)
    expect(answer.source).toBe('tollgate')
    expect(answer.channels.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'changed changed',
      'same unchanged',
      'added new',
      'keyless wrong',
      'typeless wrong',
      'moved wrong',
      'same wrong',
    ])
    expect(answer.channels[0]?.changes).toEqual([
      { field: 'models', before: before[0]?.models, after: 'gpt-4o,gpt-4.1' },
      { field: 'priority', before: '1', after: '7' },
      { field: 'key', before: 'sk-…6789', after: 'sk-…3210, ○ sk-…6789' },
    ])
    const reasons = answer.channels.slice(3).map(({ reason }) => reason)
    expect(reasons[0]).toMatch(/no key/)
    expect(reasons[1]).toMatch(/"type".*9999/)
    expect(reasons[2]).toMatch(/Enter the key again/)
    expect(reasons[3]).toMatch(/more than once/)
    expect((await preview(file, 'zh')).channels[3]?.reason).toMatch(/没有该渠道的密钥/)
    expect(await Promise.all(ids.map(stored))).toEqual(before)

    const applied = await send('', { file: JSON.stringify(file), digest: answer.digest })
    expect(applied.success, applied.message).toBe(true)
    expect(applied.data).toEqual(answer)
    const [changed] = await Promise.all(ids.map(stored))
    expect(changed).toMatchObject({ priority: 7, models: 'gpt-4o,gpt-4.1' })
    expect(await keyOf(ids[0] ?? 0)).toBe(
      'sk-new-0123456789-9876543210\n sk-off-0123456789-0123456789',
    )
    expect(await Promise.all(ids.slice(1).map(stored))).toEqual(before.slice(1))
    const again = await preview(file)
    const states = again.channels.slice(0, 3).map(({ state }) => state)
    expect(states).toEqual(Array(3).fill('unchanged'))
  })

  test('an import whose changes are no longer those of its preview is refused', async () => {
    const id = await create({ name: 'raced', priority: 1 })
    const file = ownFile({ name: 'raced', priority: 5 })
    const { digest } = await preview(file)
    const body = { id, priority: 3 }
    await plane.call('PUT', '/api/channel/', { as: admin, body })
    const refused = await send('', { file: JSON.stringify(file), digest })
    expect(refused.message).toMatch(/have changed since the preview/)
    expect((await stored(id)).priority).toBe(3)
  })

  test('channels of the same name are told apart by their ids', async () => {
    const [first, second] = [await create({ name: 'twin' }), await create({ name: 'twin' })]
    const unclear = await preview(ownFile({ name: 'twin', priority: 2 }))
    expect(unclear.channels[0]?.reason).toMatch(/Several channels are named "twin"/)
    const file = ownFile({ id: second, name: 'twin', priority: 2 })
    const { channels, digest } = await preview(file)
    expect(channels[0]).toMatchObject({ id: second, state: 'changed' })
    await send('', { file: JSON.stringify(file), digest })
    expect((await stored(second)).priority).toBe(2)
    expect((await stored(first)).priority).toBe(0)
  })

  test('lists of New API are read with their type numbers and settings', async () => {
    const row = {
      id: 5,
      name: 'from New API',
      type: 43,
      key: 'sk-1\nsk-2',
      status: 1,
      models: 'deepseek-chat',
      group: 'default,vip',
      base_url: null,
      priority: 3,
      weight: 2,
      tag: 'spare',
      setting: '{"proxy":"http://127.0.0.1:1"}',
      param_override: '{"top_k":1}',
      system_prompt: 'You are kind.',
      channel_info: { is_multi_key: false },
    }
    const unserved = { ...row, name: 'Suno', type: 36 }
    const nowhere = { ...row, name: 'custom', type: 8 }
    const keyless = { ...row, name: 'keyless', key: '' }
    const items = [row, unserved, nowhere, keyless]
    const file = { success: true, data: { items, total: 4 } }
    const { source, channels, digest } = await preview(file)
    expect(source).toBe('newApi')
    expect(channels[0]).toMatchObject({ state: 'new', left_out: ['system_prompt'] })
    expect(channels[1]?.reason).toMatch(/"type".*36/)
    expect(channels[2]?.reason).toMatch(/"base_url" must not be empty/)
    expect(channels[3]?.reason).toMatch(/no key.*npm run import/)
    await send('', { file: JSON.stringify(file), digest })
    const [added] = await storedRows(plane, 'channels', { name: 'from New API' })
    const kept = { group: 'default,vip', tag: 'spare', priority: 3, weight: 2 }
    expect(added).toMatchObject({ ...kept, type: 36 })
    expect(JSON.parse(added?.config ?? '')).toEqual({
      proxy: 'http://127.0.0.1:1',
      set_parameters: { top_k: 1 },
    })
    const { id = 0 } = added ?? {}
    expect(await keyOf(id)).toBe('sk-1\nsk-2')
    expect(await storedRows(plane, 'abilities', { channel_id: id })).toHaveLength(2)
  })

  test.each([
    ['', /"file"/],
    ['not JSON', /"file" has no channels/],
    ['{}', /"file" has no channels/],
    ['[1]', /"file" has no channels/],
    [JSON.stringify(Array.from({ length: 1001 }, () => ({ name: 'x' }))), /"file".*1000/],
  ])('a file that is none of these is refused: %#', async (file, reason) => {
    expect((await send('/preview', { file })).message).toMatch(reason)
    expect((await send('', { file, digest: '' })).message).toMatch(reason)
  })
})

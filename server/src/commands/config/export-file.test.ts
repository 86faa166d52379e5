import { describe, expect, test } from 'vitest'
import { openConfigWorld } from '../../../testing/config/config-world.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { channelForm } from '../../../testing/worlds/control-plane.ts'
import { exportFile } from './export-file.ts'
import { readInstallation } from './installation.ts'

describe.each(DATABASES)('an exported file on %s', (kind) => {
  const world = openOnce(() => openConfigWorld(kind))
  const add = (fields: object) =>
    world.plane.call('POST', '/api/channel/', {
      as: world.root,
      body: { ...channelForm, ...fields },
    })

  test('makes no difference, holds no secret, and names what to fill', async () => {
    const config = JSON.stringify({
      headers: { 'X-Team': 'team-secret' },
      proxy: 'socks5://me:proxy-secret@proxy.example:1080',
      cost: { factor: 0.5 },
    })
    await add({ name: 'plain', key: 'sk-secret-a' })
    await add({ name: 'many: keys', key: 'sk-secret-b\nsk-secret-c', multi_key: true, status: 2 })
    await add({
      name: 'full',
      key: 'sk-secret-d',
      config,
      group: 'default,vip',
      weight: 3,
      tag: 'ours',
    })
    await add({ name: 'at', key: 'sk-secret-e', base_url: 'https://me:pass-secret@a.example' })
    await add({ name: 'twin', key: 'sk-secret-f\nsk-secret-g' })
    await world.plane.setOption('SMTPServer', 'mail.example.com')
    await world.plane.setOption('SMTPToken', 'mail-secret')
    await world.plane.setOption('UserTokensPerMinute', '77')
    await world.plane.setOption('GroupConcurrentRequests', '{"vip":4}')
    await world.plane.setOption('ModelRatio', '{"acme-1":0.3333,"acme-2":1.5}')
    await world.plane.setOption('CompletionRatio', '{"acme-1":7,"acme-2":5,"acme-3":3}')
    await world.plane.setOption('ModelPrice', '{"acme-4":0.02,"acme-5":0.03}')
    await world.plane.call('PUT', '/api/price/model', {
      as: world.root,
      body: { model: 'acme-5', price: { per_call: 1 }, from: '2999-01-01' },
    })
    await world.plane.setOption('AlertFeishuAddress', 'https://feishu.example/hook/bot-secret')
    await world.plane.setOption('AlertWebhookAddress', 'https://a.example/bot-secret')
    await world.plane.setOption('MessagePusherAddress', 'https://b.example/bot-secret')

    const { target } = world
    const installation = await target.database.snapshot((tx) => readInstallation(tx, target))
    const { text, references, omitted } = exportFile(installation)
    expect(text).not.toContain('secret-')
    expect(text).not.toMatch(/(?:team|proxy|pass|mail|bot)-secret/)
    expect(text).toContain('acme-2:\n    input: 3\n    output: 15\n')
    expect(omitted).toEqual([
      expect.stringContaining('(twin): another channel has the name'),
      expect.stringContaining('(twin): another channel has the name'),
      'price of acme-5: other prices begin on 2999-01-01',
    ])
    const secrets = {
      'env:TOLLGATE_OPTION_SMTPTOKEN': 'mail-secret',
      'env:TOLLGATE_OPTION_ALERTFEISHUADDRESS': 'https://feishu.example/hook/bot-secret',
      'env:TOLLGATE_OPTION_ALERTWEBHOOKADDRESS': 'https://a.example/bot-secret',
      'env:TOLLGATE_OPTION_MESSAGEPUSHERADDRESS': 'https://b.example/bot-secret',
      'env:TOLLGATE_PLAIN_KEY': 'sk-secret-a',
      'env:TOLLGATE_MANY_KEYS_KEY': 'sk-secret-b',
      'env:TOLLGATE_MANY_KEYS_KEY_2': 'sk-secret-c',
      'env:TOLLGATE_FULL_KEY': 'sk-secret-d',
      'env:TOLLGATE_FULL_PROXY': 'socks5://me:proxy-secret@proxy.example:1080',
      'env:TOLLGATE_FULL_HEADER_X_TEAM': 'team-secret',
      'env:TOLLGATE_AT_KEY': 'sk-secret-e',
      'env:TOLLGATE_AT_BASE_URL': 'https://me:pass-secret@a.example',
    }
    expect(new Set(references.keys())).toEqual(new Set(Object.keys(secrets)))
    for (const reference of references.keys())
      expect(text).toContain(`#   ${reference}  the `.replace('the ', ''))
    const env = Object.fromEntries(
      Object.entries(secrets).map(([name, value]) => [name.replace('env:', ''), value]),
    )
    expect((await world.diff(text, { env })).lines).toEqual([])
    const empty = await world.diff(text)
    expect(empty.lines.filter((line) => !line.startsWith('?'))).toEqual([])
    expect(empty.lines).toHaveLength(references.size)
    expect((await world.apply(text, { env })).lines).toEqual([])
    expect(world.plane.settings.planned()).toMatchObject([{ model: 'acme-5' }])
    // The file may also have such an address itself; neither is printed.
    const moved = text.replace(/(?<=AlertFeishuAddress: ).*/, 'https://c.example/d')
    expect(moved).not.toBe(text)
    const { lines, json } = await world.diff(moved, { env })
    expect(lines).toEqual(['~ option options.AlertFeishuAddress: (secret)'])
    expect(json).not.toContain('example')
    expect((await world.diff(text.replace('weight: 3', 'weight: 4'), { env })).lines).toEqual([
      '~ channel full',
      '    weight: 3 → 4',
    ])
    expect((await world.diff(text.replace('tag: ours', 'tag: theirs'), { env })).lines).toEqual([
      '~ channel full',
      '    tag: ours → theirs',
    ])
  })
})

import { expect, onTestFinished, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { openHttpsServer } from '../../../testing/fakes/https-server.ts'
import { describeFreshPlanes } from '../../../testing/worlds/describe-planes.ts'
import { storedRows } from '../../../testing/worlds/rows.ts'
import { addAlert } from '../../store/alerts.ts'
import type { AlertMessage } from '../../text/message.ts'

const disabled: AlertMessage = {
  type: 'channel-alert',
  channel_id: 7,
  name: 'main',
  event: 'disabled',
  reason: 'Incorrect API key',
}
const differs: AlertMessage = {
  type: 'price-alert',
  event: 'bill_differs',
  name: 'OpenAI',
  detail: '$10.00 billed, $9.00 recorded.',
  detail_zh: '账单 $10.00，记录 $9.00。',
}

describeFreshPlanes('alerts on %s', ['root'], ({ plane, root }) => {
  const add = (id: number, message: string, created_at = 1000 + id) =>
    plane.database.transaction((tx) => addAlert(tx, { id, message, created_at }))
  const list = async (options: object = {}) =>
    (await plane.call('GET', '/api/alert/', { as: root, ...options })).data

  test('are listed in the language of the call, the newest first, with what is new', async () => {
    await add(1, JSON.stringify(disabled))
    await add(2, JSON.stringify({ type: 'an alert of a later version' }))
    await add(3, JSON.stringify(differs))
    expect(await list()).toEqual({
      unseen: 2,
      alerts: [
        {
          id: 3,
          created_time: 1003,
          subject: 'The bill "OpenAI" differs from the recorded costs',
          text: '$10.00 billed, $9.00 recorded.',
          page: 'bill',
        },
        {
          id: 1,
          created_time: 1001,
          subject: 'Channel "main" was disabled automatically',
          text: expect.stringContaining('Reason: Incorrect API key'),
          page: 'channel/7',
        },
      ],
    })
    const chinese = await list({ headers: { 'accept-language': 'zh' } })
    expect(JSON.stringify(chinese)).toContain('渠道“main”已被自动禁用')
    expect(JSON.stringify(chinese)).toContain('"text":"账单 $10.00，记录 $9.00。')
  })

  test('repeat their title nowhere', async () => {
    const spend = { type: 'rule-alert', event: 'spend', name: '2026-11-27' }
    await add(1, JSON.stringify({ ...spend, detail: '$2.00 so far', detail_zh: '目前为 $2.00' }))
    expect(await list()).toMatchObject({
      alerts: [{ subject: 'High charges on 2026-11-27', text: '$2.00 so far.' }],
    })
    expect(await list({ headers: { 'accept-language': 'zh' } })).toMatchObject({
      alerts: [{ subject: '2026-11-27 的消费偏高', text: '目前为 $2.00。' }],
    })
  })

  test('are seen by each administrator alone', async () => {
    await add(1, JSON.stringify(disabled))
    await add(2, JSON.stringify(differs))
    const admin = await plane.addPerson(ROLE.admin)
    await plane.done('POST', '/api/alert/seen', { as: root, body: { seen_up_to: 2 } })
    expect(await list()).toMatchObject({ unseen: 0 })
    expect(await list({ as: admin })).toMatchObject({ unseen: 2 })
    await add(3, JSON.stringify(disabled))
    expect(await list()).toMatchObject({ unseen: 1 })
  })

  test('are kept up to a thousand', async () => {
    for (let id = 1; id <= 1002; id += 1) await add(id, JSON.stringify(disabled))
    const ids = (await storedRows(plane, 'alerts')).map(({ id }) => id)
    expect([ids.length, ids[0]]).toEqual([1000, 3])
  })

  test('a test reaches every receiver that is set up, and names what was refused', async () => {
    const server = await openHttpsServer({ '/hook': { status: 200, body: 'ok' } })
    onTestFinished(() => server.close())
    await plane.setOption('ChannelPrivateNetworksEnabled', 'true')
    expect((await plane.call('POST', '/api/alert/test', { as: root })).data).toEqual([])
    server.route('/feishu', { status: 200, body: { code: 19024, msg: 'Key Words Not Found' } })
    await plane.setOption('AlertWebhookAddress', `${server.url}/hook`)
    await plane.setOption('AlertFeishuAddress', `${server.url}/feishu`)
    expect((await plane.call('POST', '/api/alert/test', { as: root })).data).toEqual([
      { receiver: 'webhook', problem: '' },
      { receiver: 'feishu', problem: 'Key Words Not Found' },
    ])
    expect(server.requestsTo('/hook')[0]?.headers['x-tollgate-signature']).toBeUndefined()
  })
})

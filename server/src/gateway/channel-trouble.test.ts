import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import {
  accessTokenOf,
  channelForm,
  type ControlPlane,
  idsOf,
  openControlPlane,
  type Person,
} from '../../testing/control-plane.ts'
import { DATABASES } from '../../testing/databases.ts'
import { outboxOf } from '../../testing/outbox.ts'
import { createChannelTrouble } from './channel-trouble.ts'
import { openDirectory } from './directory.ts'

const UNCACHED = { cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

describe.each(DATABASES)('reports that are not believed, on %s', (kind) => {
  let plane: ControlPlane
  let admin: Person
  let id: number

  beforeAll(async () => {
    plane = await openControlPlane(kind)
    admin = await plane.addPerson(ROLE.admin)
    const made = await plane.call('POST', '/api/channel/', { as: admin, body: channelForm })
    id = idsOf(made)[0] ?? 0
  })
  afterAll(() => plane.close())

  const log = pino({ level: 'silent' })

  /** Of a process that has just begun. */
  const doubtTwice = async () => {
    const channel = (await openDirectory({ ...plane, log }))().channel(id)
    if (!channel) throw new Error('there is no such channel')
    const trouble = createChannelTrouble({ ...plane, log, now: () => plane.clock.now })
    for (const promptTokens of [1e6, 2e6]) {
      trouble.doubt(channel, { ...UNCACHED, promptTokens, completionTokens: 7 })
    }
    await trouble.settled()
  }

  const alerts = async () =>
    (await outboxOf(plane)).filter((message) => message.type === 'channel-alert')

  const edit = (change: object) =>
    plane.call('PUT', '/api/channel/', {
      headers: { authorization: accessTokenOf(admin) },
      body: { id, ...change },
    })

  test('are told of once by all processes, and again when the channel has become another', async () => {
    await Promise.all([doubtTwice(), doubtTwice(), doubtTwice()])
    const alert = {
      type: 'channel-alert',
      channel_id: id,
      name: channelForm.name,
      event: 'misreported',
      reason: '1000000 tokens of prompt and 7 of output for one request',
    }
    expect(await alerts()).toEqual([alert])
    plane.clock.now += 2 * 24 * 3600 * 1000
    await edit({ name: 'renamed' })
    await doubtTwice()
    expect(await alerts()).toEqual([alert])
    await edit({ key: 'sk-another' })
    await doubtTwice()
    expect(await alerts()).toEqual([alert, { ...alert, name: 'renamed' }])
  })
})

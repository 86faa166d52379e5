import { describe, expect, test } from 'vitest'
import { CHANNEL_STATUS, ROLE } from '@tollgate/contract'
import { answerAsAsked, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  COST,
  expectRefusal,
  QUOTA,
  readError,
  setUp,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import { changeRow } from '../../../testing/worlds/rows.ts'

const good = { script: [answerAsAsked] }
const admin = { user: { role: ROLE.admin } }

const askOf = (world: World, channel: string | number | undefined, body: object = ASKED) =>
  ({ ...world, key: `${world.key}-${channel}` }).ask(body)

describe('a key that names a channel', () => {
  test('is served by that channel, whatever its priority, group or models', async () => {
    const world = await setUp(
      [
        { ...good, priority: 9 },
        { ...good, group: 'vip' },
      ],
      { ...admin },
    )
    expect((await askOf(world, world.channels[1])).status).toBe(200)
    expect((await askOf(world, world.channels[1], { ...STREAMED, model: 'o3' })).status).toBe(200)
    expect(world.calls()).toEqual([0, 2])
    const { logs } = await world.books()
    expect(logs.map(({ channel }) => channel)).toEqual([world.channels[1], world.channels[1]])
    expect(logs[0]?.quota).toBe(COST)
  })

  test('tries no other channel, and none twice', async () => {
    const ill = { script: [answerError(500, {})] }
    const world = await setUp([ill, good], { ...admin })
    expect((await askOf(world, world.channels[0])).status).toBe(502)
    expect(world.calls()).toEqual([1, 0])
    expect((await world.books()).account.quota).toBe(QUOTA)
  })

  test.each([
    ['of a user is refused', ROLE.user, 403, 'channel_not_allowed'],
    ['of the root user is not', ROLE.root, 200, null],
  ])('%s', async (_, role, status, code) => {
    const world = await setUp([good], { user: { role } })
    const response = await askOf(world, world.channels[0])
    expect(response.status).toBe(status)
    if (code !== null) expect((await readError(response)).code).toBe(code)
    const models = await fetch(`${world.url}/v1/models`, {
      headers: { authorization: `${world.key}-${world.channels[0]}` },
    })
    expect(models.status).toBe(status)
    await world.books()
  })

  test('is served at once if its user was promoted', async () => {
    const world = await setUp([good], { user: { role: ROLE.user } })
    expect((await askOf(world, world.channels[0])).status).toBe(403)
    await changeRow(world, 'users', world.user, { role: ROLE.admin })
    await waitUntil(async () => (await askOf(world, world.channels[0])).status === 200)
    await world.books()
  })

  test('reports what is wrong with the channel', async () => {
    const world = await setUp([good], { ...admin })
    const off = await world.addChannel({
      base_url: world.upstream.baseUrl('p0'),
      status: CHANNEL_STATUS.disabled,
    })
    await waitUntil(async () => (await askOf(world, off)).status === 403)
    for (const [name, status, code] of [
      [String(off), 403, 'channel_disabled'],
      ['999999', 400, 'channel_not_found'],
      ['abc', 400, 'channel_not_found'],
      ['', 400, 'channel_not_found'],
      ['9'.repeat(40), 400, 'channel_not_found'],
    ] as const) {
      const response = await askOf(world, name)
      expect([name, response.status, (await readError(response)).code]).toEqual([
        name,
        status,
        code,
      ])
    }
    expect(world.calls()).toEqual([0])
    const { logs } = await world.books()
    expect(logs).toEqual([])
  })

  test('does not bypass an unknown key', async () => {
    const world = await setUp([good], { ...admin })
    await expectRefusal(
      askOf({ ...world, key: `sk-${'x'.repeat(48)}` }, world.channels[0]),
      401,
      'invalid_api_key',
    )
    const empty = await askOf({ ...world, key: 'sk-' }, world.channels[0])
    expect(empty.status).toBe(401)
  })
})

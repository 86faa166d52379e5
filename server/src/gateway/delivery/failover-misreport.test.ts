import { describe, expect, test } from 'vitest'
import { answerStream } from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { CLAUDE } from '../../../testing/worlds/native-scenario.ts'
import { setUp, STREAMED } from '../../../testing/worlds/relay-scenario.ts'
import { hasty, otherStream, readStream } from '../../../testing/worlds/stream-failover-scenario.ts'

const MISREPORTED = 900_000

describe('an implausible report after failover', () => {
  test('counts against the channel that sent it', async () => {
    const beginning = CLAUDE.firstEvents.map((event) =>
      event.replace('"input_tokens":10', `"input_tokens":${MISREPORTED}`),
    )
    const breaks = answerStream([...beginning, ...CLAUDE.textEvents('Hello', ' there')], 'cut')
    const { type, mapping } = CLAUDE
    const world = await setUp(
      [{ type, mapping, script: [breaks], priority: 1 }, { script: [otherStream] }],
      { ...hasty, quota: 1e9 },
    )
    const stream = readStream(await (await world.ask(STREAMED)).text())
    expect(stream).toMatchObject({ text: 'Hello there, how are you?', isWhole: true })
    expect(world.calls()).toEqual([1, 1])
    const { log } = await world.books()
    expect(log).toMatchObject({ channel: world.channels[1] })
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({
      overruled: { prompt_tokens: MISREPORTED },
    })
    const { kysely } = world.database
    const alerts = async () =>
      (await kysely.selectFrom('outbox').select('message').execute())
        .map(({ message }) => JSON.parse(message))
        .filter(({ event }) => event === 'misreported')
    await waitUntil(async () => (await alerts()).length > 0)
    expect((await alerts()).map(({ channel_id }) => channel_id)).toEqual([world.channels[0]])
    const marked = await kysely
      .selectFrom('channels')
      .select(['id', 'misreported'])
      .orderBy('id')
      .execute()
    expect(marked.map(({ misreported }) => misreported)).toEqual([1, 0])
  })
})

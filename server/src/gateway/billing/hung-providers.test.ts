import { describe, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { neverAnswer } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { ASKED, setUp, type Setup, STREAMED } from '../../../testing/worlds/relay-scenario.ts'

/* Providers that accept a request and send nothing, up to a deadline after the disconnect. */

/** The usual 50 ms at 100 tokens per second. */
const USUAL = 5

const DEADLINE_MS = 1000
const DEADLINES: [string, Setup][] = [
  ['of the first byte', { upstreamLimits: { firstByteMs: DEADLINE_MS } }],
  ['of all tries', { limits: { attemptsMs: DEADLINE_MS } }],
]
const ROWS = DATABASES.flatMap((kind) =>
  DEADLINES.flatMap(([deadline, setup]) =>
    [ASKED, STREAMED].map((body) => ({ kind, deadline, setup, body })),
  ),
)

describe.each(ROWS)('until the deadline $deadline, on $kind', ({ kind, setup, body }) => {
  test(`costs no more than the usual time (${JSON.stringify(body)})`, async () => {
    const clock = FakeClock.withSockets()
    const world = await setUp(neverAnswer, {
      kind,
      clock,
      quota: 1e9,
      upstreamLimits: { firstByteMs: 60_000, ...setup.upstreamLimits },
      limits: { typicalAnswerMs: 50, ...setup.limits },
    })
    const client = world.askAndLeave({ ...body, max_tokens: 8000 })
    await waitUntil(async () => world.calls()[0] === 1)
    await client.leave()
    await clock.advance(DEADLINE_MS)
    await world.expectLog({
      completion_tokens: USUAL,
      end_reason: 'client_left',
      usage_source: 'estimated',
    })
  })
})

import { expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import {
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  startScriptedUpstream,
} from '../../../testing/fakes/scripted-upstream.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { setUp, STREAMED } from '../../../testing/worlds/relay-scenario.ts'
import { createLog } from '../../process/log.ts'

const provider = openPerTest(() => startScriptedUpstream())
/** Matches no known key pattern. */
const KEY = 'app-7|plantedSecret'
const CODE = 'plantedCode'
const SAID = `No such key: ${KEY}, ${encodeURIComponent(KEY)}, plantedSecret, ${CODE} (POST /v1/chat/completions?code=${CODE}&v=planted)`

/** A provider whose URL contains a secret too. Collects the log lines. */
async function openWorld(behaviour: Behaviour) {
  provider.script('a', behaviour)
  const lines: string[] = []
  const log = createLog('trace', { write: (line) => void lines.push(line) })
  const base_url = `${provider.baseUrl('a')}?code=${CODE}&v=planted`
  const world = await setUp([{ script: [], base_url, key: KEY }], {
    log,
    options: [['RetryTimes', '0']],
  })
  return { world, lines }
}

test.each([400, 401, 403, 404, 422, 429, 500])(
  'status %d repeats no key or secret',
  async (status) => {
    const { world, lines } = await openWorld(answerError(status, { message: SAID }))
    const text = await (await world.ask()).text()
    expect(provider.requestsOf('a')[0]?.path).toContain(`?code=${CODE}`)
    const { log } = await world.books()
    expect(log?.attempts).toContain('No such key')
    expect(JSON.stringify([text, log, lines])).not.toMatch(/planted/)
  },
)

test('also in the middle of a stream', async () => {
  const failure = `data: ${JSON.stringify({ error: { message: SAID, type: 'invalid_request_error' } })}\n\n`
  const { world, lines } = await openWorld(answerStream([chunk({ content: 'Hello' }), failure]))
  const text = await (await world.ask(STREAMED)).text()
  const { log } = await world.books()
  expect(text).toContain('No such key')
  expect(JSON.stringify([text, log, lines])).not.toMatch(/planted/)
})

test('also in the reason why a channel was disabled', async () => {
  const refusal = answerError(401, { message: SAID, code: 'invalid_api_key' })
  const { world, lines } = await openWorld(refusal)
  await (await world.ask()).text()
  const read = () =>
    world.database.kysely
      .selectFrom('channels')
      .select(['status', 'status_reason'])
      .executeTakeFirstOrThrow()
  await waitUntil(async () => (await read()).status === CHANNEL_STATUS.autoDisabled)
  const outbox = await world.database.kysely.selectFrom('outbox').selectAll().execute()
  expect((await read()).status_reason).toContain('No such key')
  await waitUntil(async () => lines.join('').includes('a channel was disabled'))
  expect(JSON.stringify([await read(), outbox, lines])).not.toMatch(/planted/)
})

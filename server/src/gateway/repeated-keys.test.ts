import { afterEach, expect, test } from 'vitest'
import { ask, books, setUp, STREAMED, tearDown } from '../../testing/relay-scenario.ts'
import { answerError, answerStream, chunk } from '../../testing/scripted-upstream.ts'

afterEach(tearDown)

/** Like no pattern that keys are known by. */
const KEY = 'app-7|plantedSecret'
const SAID = `No such key: ${KEY}, ${encodeURIComponent(KEY)}, plantedSecret`

test.each([400, 401, 403, 404, 422, 429, 500])(
  'a key that the provider repeats with status %d is told to nobody',
  async (status) => {
    const world = await setUp([{ script: [answerError(status, { message: SAID })], key: KEY }], {
      options: [['RetryTimes', '0']],
    })
    const text = await (await ask(world)).text()
    const { log } = await books(world)
    expect(log?.attempts).toContain('No such key')
    expect(JSON.stringify([text, log])).not.toMatch(/plantedSecret/)
  },
)

test('nor one that it repeats in the middle of a stream', async () => {
  const failure = `data: ${JSON.stringify({ error: { message: SAID, type: 'invalid_request_error' } })}\n\n`
  const script = [answerStream([chunk({ content: 'Hello' }), failure])]
  const world = await setUp([{ script, key: KEY }], { options: [['RetryTimes', '0']] })
  const text = await (await ask(world, STREAMED)).text()
  const { log } = await books(world)
  expect(text).toContain('No such key')
  expect(JSON.stringify([text, log])).not.toMatch(/plantedSecret/)
})

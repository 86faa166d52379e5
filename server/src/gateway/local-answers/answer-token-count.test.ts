import { expect, test } from 'vitest'
import { answerAsAsked } from '../../../testing/fakes/scripted-upstream.ts'
import { expectRefusal, MODEL, setUp } from '../../../testing/worlds/relay-scenario.ts'
import { countThread } from '../../scheduler/count-thread.ts'

const MEGABYTE = 1024 * 1024
/** What may wait for a user, but for room for the new input alone. */
const WAITING_BYTES = 128 * MEGABYTE - 2 * MEGABYTE

test('the limit of a user counts what is stored, not only what is sent', async () => {
  const world = await setUp(answerAsAsked, { quota: 1e9 })
  let previous: unknown = null
  for (const word of ['one ', 'two ']) {
    const input = word.repeat(450_000)
    const body = { model: MODEL, input, store: true, previous_response_id: previous }
    const response = await world.ask(body, { path: '/v1/responses' })
    const json: { id?: unknown } = JSON.parse(await response.text())
    previous = json.id
  }
  const text = 'some words to count '.repeat(20_000)
  const owned = { owner: world.user, bytes: 0 }
  const counts = Array.from({ length: 8 }, () => countThread.count(owned, 'o200k_base', [text]))
  counts.push(countThread.count({ ...owned, bytes: WAITING_BYTES }, 'o200k_base', ['text']))
  const count = (body: object) =>
    world.ask({ model: MODEL, input: 'hi', ...body }, { path: '/v1/responses/input_tokens' })
  await expectRefusal(count({ previous_response_id: previous }), 429, 'too_much_at_once')
  await Promise.all(counts)
  expect((await count({ previous_response_id: previous })).status).toBe(200)
})

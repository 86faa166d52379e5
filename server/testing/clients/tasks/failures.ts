import assert from 'node:assert/strict'
import { type ChannelOffer, descriptorOf } from '@tollgate/relay'
import { NOT_OFFERED } from '../matrix.ts'
import type { TaskClient, TaskPlace } from './task-client.ts'
import type { TaskRun } from './task-run.ts'

type Call = { offer: ChannelOffer; ask: (place: TaskPlace) => Promise<unknown> }

/** One of each kind that the client has. */
function callsOf({ draw, speak, hear, judge, talk }: TaskClient, voice: string): Call[] {
  const drawn = draw?.either ?? draw?.data
  return [
    ...(drawn ? [{ offer: 'images' as const, ask: drawn }] : []),
    ...(speak
      ? [{ offer: 'speech' as const, ask: (place: TaskPlace) => speak(place, voice) }]
      : []),
    ...(hear ? [{ offer: 'transcriptions' as const, ask: hear }] : []),
    ...(judge
      ? [{ offer: 'moderations' as const, ask: (place: TaskPlace) => judge(place, ['a fight']) }]
      : []),
    ...(talk
      ? [{ offer: 'realtime' as const, ask: (place: TaskPlace) => talk(place, { text: 'hi' }) }]
      : []),
  ]
}

/** The client's own class of errors, for a key that nobody has and for a channel that its provider refuses. */
export async function tellsTaskFailures(run: TaskRun): Promise<void> {
  const { client, column, place, refused } = run
  const offers: readonly ChannelOffer[] = descriptorOf(column.row.type)?.supports ?? []
  const failing = async (call: Call, at: TaskPlace) => {
    const error: unknown = await call.ask(at).then(
      () => null,
      (reason: unknown) => reason,
    )
    const failure = client.failureOf(error)
    assert.ok(failure, `${call.offer}: no error of the client's own: ${String(error)}`)
    return failure
  }
  for (const call of callsOf(client, column.voice ?? 'alloy')) {
    const ofStranger = await failing(call, { ...place, key: 'sk-nobody' })
    assert.equal(ofStranger.status, 401, call.offer)
    const ofRefused = await failing(call, refused)
    const { status, message } = ofRefused
    if (!offers.includes(call.offer)) {
      // A WebSocket tells the status alone.
      const isRealtime = call.offer === 'realtime'
      assert.equal(status, isRealtime ? 503 : 400, `${call.offer}: ${message}`)
      if (!isRealtime) assert.match(message, NOT_OFFERED)
      continue
    }
    // Some of it is refused before anybody is asked, as images in a form that the provider has not.
    assert.doesNotMatch(message, NOT_OFFERED)
    if (status === 400) continue
    assert.ok(status >= 500, `${call.offer}: ${status} ${message}`)
    if (call.offer !== 'realtime') assert.match(message, /refused its credentials/)
  }
  assert.equal(run.asked().length, 0)
}

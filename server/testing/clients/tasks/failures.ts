import assert from 'node:assert/strict'
import { type ChannelOffer, descriptorOf } from '@tollgate/relay'
import { NOT_OFFERED } from '../matrix.ts'
import type { TaskClient, TaskPlace } from './task-client.ts'
import type { TaskRun } from './task-run.ts'

type Call = { offer: ChannelOffer; ask: (place: TaskPlace) => Promise<unknown> }

/** One call per kind that the client supports. */
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

/**
 * Checks the client's own error class, for an unknown key and for a channel whose provider rejects
 * its credentials.
 */
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
      // A WebSocket handshake has only its HTTP status.
      const isRealtime = call.offer === 'realtime'
      assert.equal(status, isRealtime ? 503 : 400, `${call.offer}: ${message}`)
      if (!isRealtime) assert.match(message, NOT_OFFERED)
      continue
    }
    // The gateway rejects some requests itself, such as image formats that the provider lacks.
    assert.doesNotMatch(message, NOT_OFFERED)
    if (status === 400) continue
    assert.ok(status >= 500, `${call.offer}: ${status} ${message}`)
    if (call.offer !== 'realtime') assert.match(message, /refused its credentials/)
  }
  assert.equal(run.asked().length, 0)
}

import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { StreamContinuation } from '@tollgate/relay'
import { drainsOf } from '../../../testing/worlds/drains.ts'
import { systemClock } from '../../clock.ts'
import type { OpenStream, StreamConsumer } from '../attempts/open-stream.ts'
import type { RunningAttempt } from '../attempts/running-attempt.ts'
import type { RelayContext } from '../context.ts'
import { Client } from '../intake/client.ts'
import { GATEWAY_LIMITS } from '../limits.ts'
import { type StreamPart, StreamParts } from './stream-parts.ts'

/** What the hold pays for, at a quota unit per token. */
const HELD = 10_000

function newContext(): RelayContext {
  const response = new EventEmitter()
  // Safe because nothing is written, and the budget reads nothing else.
  return {
    client: new Client(response as unknown as ServerResponse, drainsOf()),
    terms: { options: {}, groupRatio: 1 },
    parsedRequest: {},
    authorization: {
      targets: [],
      hold: { amount: HELD },
      headroomTokens: 1000,
      promptTokens: 0,
    },
    user: 1,
  } as unknown as RelayContext
}

/** A stream with this much output, and the readers it was given. */
function newPart(outputBytes: number, continuation: StreamContinuation | null = null) {
  const readers: StreamConsumer[] = []
  const ratios = { cache_ratio: 1, cache_write_ratio: 1 }
  const price = { model_ratio: 1, completion_ratio: 1, ...ratios }
  // Safe because nothing else of a stream without events is used.
  const stream = {
    observer: { outputBytes },
    read: (reader: StreamConsumer) => readers.push(reader),
  } as unknown as OpenStream
  // Safe because a budget reads only the price.
  const attempt = { target: { price } } as unknown as RunningAttempt
  const part: StreamPart = { attempt, stream, continuation }
  return { part, readers }
}

// Safe because nothing else of a continuation is read.
const tookOver = { tookOver: true } as unknown as StreamContinuation

// Safe because no model here hides its reasoning.
const deps = { limits: GATEWAY_LIMITS, clock: systemClock } as unknown as ConstructorParameters<
  typeof StreamParts
>[1]

test('all streams of an answer share a budget, and a resumed stream counts once', () => {
  const [first, second] = [newPart(100), newPart(50, tookOver)]
  const parts = new StreamParts(newContext(), deps, first.part)
  parts.pump(first.part, Infinity)
  parts.pump(second.part, Infinity)
  // A stream that stalled and resumed is pumped again as another part.
  parts.pump({ ...second.part }, Infinity)
  const left = HELD - 100 - 50
  for (const reader of second.readers) {
    expect(reader.bytesAccepted(left)).toBe(left)
    expect(reader.bytesAccepted(left + 1)).toBeLessThan(left)
  }
  expect(second.readers).toHaveLength(2)
  expect(parts.continuations).toHaveLength(1)
})

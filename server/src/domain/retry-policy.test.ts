import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Candidate, type Failure, type FailureClass, nextTry } from './retry-policy.ts'

const channel = (id: number, priority = 0, upstreamModel = 'm'): Candidate => ({
  id,
  priority,
  weight: 0,
  upstreamModel,
})

const failed = (
  candidate: Candidate,
  kind: FailureClass = 'passing',
  retryAfterMs: number | null = null,
): Failure<Candidate> => ({ channel: candidate, class: kind, retryAfterMs })

const decide = (
  candidates: Candidate[],
  failures: Failure<Candidate>[],
  { retryTimes = 3, msLeft = 60_000 } = {},
) => nextTry({ candidates, failures, retryTimes, msLeft, random: () => 0 })

const A = channel(1, 5)
const B = channel(2, 5)
const C = channel(3, 1)

test('another channel of the tier comes first, then the same once more, then the next tier', () => {
  expect(decide([C, A, B], [])).toMatchObject({ channel: A, afterMs: 0 })
  expect(decide([C, A, B], [failed(A)])).toMatchObject({ channel: B, afterMs: 0 })
  expect(decide([C, A, B], [failed(A), failed(B)])).toMatchObject({ channel: B, afterMs: 100 })
  expect(decide([C, A, B], [failed(A), failed(B), failed(B)])).toMatchObject({ channel: C })
})

test('a failure that lasts is not tried again: the next tier comes at once', () => {
  expect(decide([A, C], [failed(A, 'lasting')])).toMatchObject({ channel: C })
  expect(decide([A], [failed(A, 'lasting')])).toEqual({ type: 'give_up' })
})

test('a short Retry-After is waited for, a long one and one beyond the deadline are not', () => {
  expect(decide([A], [failed(A, 'passing', 5000)])).toMatchObject({ channel: A, afterMs: 5000 })
  expect(decide([A], [failed(A, 'passing', 5001)])).toEqual({ type: 'give_up' })
  expect(decide([A, C], [failed(A, 'passing', 900)], { msLeft: 800 })).toMatchObject({ channel: C })
  expect(decide([A, C], [failed(A)], { msLeft: 0 })).toEqual({ type: 'give_up' })
})

test('what is too long is asked once more, of another model only', () => {
  const other = channel(4, 0, 'other')
  expect(decide([A, B, other], [failed(A, 'too_long')])).toMatchObject({ channel: other })
  expect(decide([A, B], [failed(A, 'too_long')])).toEqual({ type: 'give_up' })
  expect(decide([A, B, other], [failed(A, 'too_long'), failed(other)])).toEqual({
    type: 'give_up',
  })
})

test('what nobody will take is asked of nobody else', () => {
  expect(decide([A, B], [failed(A, 'final')])).toEqual({ type: 'give_up' })
})

test('there are never more than RetryTimes + 1 tries, and none of a channel more than two', () => {
  const candidates = fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 6 }),
      priority: fc.integer({ min: -1, max: 1 }),
      weight: fc.integer({ min: 0, max: 3 }),
      upstreamModel: fc.constantFrom('a', 'b'),
    }),
    { selector: ({ id }) => id },
  )
  const kinds = fc.array(fc.constantFrom<FailureClass>('passing', 'lasting', 'too_long'), {
    minLength: 12,
    maxLength: 12,
  })
  fc.assert(
    fc.property(
      candidates,
      kinds,
      fc.integer({ min: 0, max: 10 }),
      (list, outcomes, retryTimes) => {
        const failures: Failure<Candidate>[] = []
        for (const outcome of outcomes) {
          const next = nextTry({
            candidates: list,
            failures,
            retryTimes,
            msLeft: 60_000,
            random: Math.random,
          })
          if (next.type === 'give_up') break
          failures.push(failed(next.channel, outcome))
        }
        expect(failures.length).toBeLessThanOrEqual(Math.min(retryTimes + 1, 2 * list.length))
        for (const { id } of list) {
          expect(failures.filter((failure) => failure.channel.id === id).length).toBeLessThan(3)
        }
      },
    ),
  )
})

import type { Channel } from '@tollgate/contract'

/** Upper limits in milliseconds for green, olive and yellow; slower responses are red. */
const STEPS = [
  { most: 1000, tone: 'good' },
  { most: 3000, tone: 'olive' },
  { most: 5000, tone: 'slow' },
] as const

type TestState = {
  readonly tone: 'good' | 'olive' | 'slow' | 'bad' | 'off'
  /** Stands in place of the time; null for the time itself. */
  readonly word: 'untested' | 'testFailed' | 'untestable' | null
}

type Tested = Pick<Channel, 'test_outcome' | 'response_time'>

export function testState({ test_outcome, response_time }: Tested): TestState {
  switch (test_outcome) {
    case '':
      return { tone: 'off', word: 'untested' }
    case 'failed':
      return { tone: 'bad', word: 'testFailed' }
    case 'untestable':
      return { tone: 'off', word: 'untestable' }
    default: {
      const tone = STEPS.find(({ most }) => response_time <= most)?.tone ?? 'bad'
      return { tone, word: null }
    }
  }
}

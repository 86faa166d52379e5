import { expect, test } from 'vitest'
import { responseColor } from './response-time.ts'

test('changes colour at one, three and five seconds, each bound included in the better colour', () => {
  const colors = [0, 1, 1000, 1001, 3000, 3001, 5000, 5001].map(responseColor)
  expect(colors).toEqual(['off', 'good', 'good', 'olive', 'olive', 'slow', 'slow', 'bad'])
})

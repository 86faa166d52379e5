import { expect, test } from 'vitest'
import { blockData } from '../../bytes/sse.ts'
import { errorBody, errorEvent } from './write-error.ts'

test('writes all four members, so that every SDK reads them', () => {
  expect(JSON.parse(errorBody({ message: 'no', type: 't' }))).toEqual({
    error: { message: 'no', type: 't', param: null, code: null },
  })
})

test('writes an error as one event, whatever the message holds', () => {
  const error = { message: 'a\n\ndata: b\r', type: 't', param: 'p', code: 'c' }
  const event = errorEvent(error)
  expect(event.split('\n')).toHaveLength(3)
  expect(JSON.parse(blockData(Buffer.from(event))?.toString() ?? '')).toEqual({ error })
})

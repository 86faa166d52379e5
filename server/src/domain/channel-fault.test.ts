import { expect, test } from 'vitest'
import type { UpstreamProblemKind } from '@tollgate/contract'
import { isAboutRequest } from '@tollgate/relay'
import { CHANNEL_FAULTS, isChannelFault } from './channel-fault.ts'

const KINDS = Object.keys(CHANNEL_FAULTS).filter((kind) => kind !== 'overtaken')

// Safe because the list has these and no others.
test.each(KINDS as UpstreamProblemKind[])(
  'for %s either the request or its channel is at fault',
  (kind) => {
    expect(isChannelFault(`${kind}: in words`)).toBe(!isAboutRequest({ kind }))
  },
)

test('an overtaken channel is at fault, and none for other reasons', () => {
  expect(isChannelFault('overtaken')).toBe(true)
  expect(isChannelFault('client_left')).toBe(false)
  expect(isChannelFault('')).toBe(false)
})

import { expect, test } from 'vitest'
import type { TransportFailure } from '@tollgate/relay'
import {
  answerJson,
  type Behaviour,
  startScriptedUpstream,
} from '../../testing/fakes/scripted-upstream.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { UPSTREAM_LIMITS } from './limits.ts'
import { createUpstream } from './send.ts'

const provider = openPerTest(() => startScriptedUpstream())
const upstream = openPerTest(() => createUpstream(UPSTREAM_LIMITS))

test.each<[string, Behaviour]>([
  ['an answer', answerJson('{}')],
  [
    'a failure that cannot be read',
    answerJson('{}', { status: 500, headers: { 'content-encoding': 'gzip' } }),
  ],
])('an error of the reader at the end of %s is reported as a failure', async (_name, behaviour) => {
  provider.script('p0', behaviour)
  const failure = await new Promise<TransportFailure>((resolve) => {
    const end = () => {
      throw new Error('the end')
    }
    const sink = { head: () => {}, data: () => {}, end, fail: resolve }
    upstream.send({ url: provider.baseUrl('p0'), headers: {}, body: null }, sink)
  })
  expect(failure).toBe('malformed')
})

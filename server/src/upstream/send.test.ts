import { afterEach, expect, test } from 'vitest'
import type { TransportFailure } from '@tollgate/relay'
import {
  answerJson,
  type Behaviour,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../testing/fakes/scripted-upstream.ts'
import { UPSTREAM_LIMITS } from './limits.ts'
import { createUpstream, type Upstream } from './send.ts'

let provider: ScriptedUpstream
let upstream: Upstream

afterEach(async () => {
  upstream.close()
  await provider.close()
})

test.each<[string, Behaviour]>([
  ['an answer', answerJson('{}')],
  [
    'a failure that cannot be read',
    answerJson('{}', { status: 500, headers: { 'content-encoding': 'gzip' } }),
  ],
])('an error of the reader at the end of %s is reported as a failure', async (_name, behaviour) => {
  provider = await startScriptedUpstream()
  provider.script('p0', behaviour)
  upstream = createUpstream(UPSTREAM_LIMITS)
  const failure = await new Promise<TransportFailure>((resolve) => {
    const end = () => {
      throw new Error('the end')
    }
    const sink = { head: () => {}, data: () => {}, end, fail: resolve }
    upstream.send({ url: provider.baseUrl('p0'), headers: {}, body: null }, sink)
  })
  expect(failure).toBe('malformed')
})

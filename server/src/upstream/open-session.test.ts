import { expect, test } from 'vitest'
import { REALTIME_LIMITS } from '../gateway/realtime/limits.ts'
import { UPSTREAM_LIMITS } from './limits.ts'
import { openProviderSession } from './open-session.ts'

test.each(['ws://127.0.0.1:1/?code=planted#x', 'ws://', 'ftp://127.0.0.1:1/'])(
  'an address that no session can be opened at fails like one where nobody is: %s',
  async (url) => {
    const askedWith = { key: 'sk-upstream', baseUrl: url, proxy: null }
    const call = { url, headers: {}, askedWith, tunnel: null }
    const opening = await openProviderSession(call, { ...UPSTREAM_LIMITS, ...REALTIME_LIMITS })
    expect(opening).toMatchObject({
      type: 'failed',
      status: 0,
      problem: { kind: 'upstream_fault', detail: 'No connection to the upstream could be made.' },
    })
  },
)

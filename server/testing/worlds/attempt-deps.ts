import { Deadlines } from '../../src/deadlines.ts'
import type { AttemptDeps } from '../../src/gateway/attempts/attempt.ts'
import type { Client } from '../../src/gateway/intake/client.ts'
import type { Upstream } from '../../src/upstream/send.ts'

/** What an attempt is given; `deadline` is a moment of the monotonic clock. */
export const attemptDeps = (
  client: Client,
  upstream: Upstream,
  deadline = Infinity,
): AttemptDeps => ({
  upstream,
  client,
  clock: client.clock,
  channelSecrets: { key: '', baseUrl: '', proxy: null },
  deadlines: new Deadlines(client.clock),
  deadline,
})

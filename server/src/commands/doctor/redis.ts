import { systemClock, within } from '../../clock.ts'
import { createRedisClient } from '../../gateway/rate-limits/redis-client.ts'
import { reasonOf } from '../open-for-command.ts'
import { bad, type Finding, ok } from './finding.ts'

const TIMEOUT_MS = 5000

export async function checkRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return []
  const client = createRedisClient(url)
  // The client repeats failed connections; the last reason is what the operator needs.
  let failure: unknown
  client.on('error', (error: unknown) => (failure = error))
  try {
    await within(systemClock, TIMEOUT_MS, client.connect())
    await within(systemClock, TIMEOUT_MS, client.ping())
    return [ok('Redis answers')]
  } catch (error) {
    return [bad(`REDIS_URL: Redis does not answer: ${reasonOf(failure ?? error)}`)]
  } finally {
    client.destroy()
  }
}

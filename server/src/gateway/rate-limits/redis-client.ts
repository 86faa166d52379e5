import { createClient } from '@redis/client'

const CONNECT_MS = 2000
const RECONNECT_MS_MAX = 1000
const COMMANDS_MAX = 20_000

export type RedisClient = ReturnType<typeof createRedisClient>

export const createRedisClient = (url: string) =>
  createClient({
    url,
    RESP: 2,
    // Commands fail immediately while Redis is unreachable.
    disableOfflineQueue: true,
    commandsQueueMaxLength: COMMANDS_MAX,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (retries) => Math.min(RECONNECT_MS_MAX, 50 * 2 ** Math.min(retries, 10)),
    },
  })

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '@tollgate/contract'
import { isBcrypt, verifyBcrypt } from './bcrypt.ts'

type PasswordCost = { memoryKib: number; passes: number; lanes: number }

/** OWASP Password Storage Cheat Sheet. */
const PASSWORD_COST: PasswordCost = { memoryKib: 19_456, passes: 2, lanes: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32

/** Two runs leave half of libuv's threads to file and DNS work, and take 38 MiB. */
const RUNNING_MAX = 2
const WAITING_MAX = 50
const BUSY_SECONDS = 5

const derive = promisify(argon2)

/** Both throw `too_many_requests` if too many calls are waiting. */
export type Passwords = {
  /** Argon2id in PHC string format. */
  hash: (password: string) => Promise<string>
  /**
   * Takes equally long if the user does not exist or has no password. The bcrypt hash of an
   * imported account takes longer, until its owner logs in.
   */
  verify: (password: string, stored: string | undefined) => Promise<boolean>
  /** Whether the hash should be replaced once its password is known. */
  isOutdated: (stored: string) => boolean
}

const DUMMY_HASH = {
  salt: randomBytes(SALT_BYTES),
  hash: randomBytes(HASH_BYTES),
}

export function createPasswords({ memoryKib, passes, lanes } = PASSWORD_COST): Passwords {
  const prefix = `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$`
  const takeTurn = createQueue()

  const compute = (password: string, nonce: Buffer) =>
    takeTurn(() =>
      derive('argon2id', {
        message: password,
        nonce,
        parallelism: lanes,
        tagLength: HASH_BYTES,
        memory: memoryKib,
        passes,
      }),
    )

  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES)
      return `${prefix}${encode(salt)}$${encode(await compute(password, salt))}`
    },
    isOutdated: (stored) => !stored.startsWith(prefix),
    verify: async (password, stored) => {
      if (isBcrypt(stored)) return takeTurn(() => verifyBcrypt(password, stored))
      const known = readHash(stored, prefix)
      const { salt, hash } = known ?? DUMMY_HASH
      const computed = await compute(password, salt)
      return timingSafeEqual(computed, hash) && known !== null
    },
  }
}

/** A stored hash of another cost is none. */
function readHash(stored: string | undefined, prefix: string) {
  if (!stored?.startsWith(prefix)) return null
  const [, salt, hash] = /^([\w+/]+)\$([\w+/]+)$/.exec(stored.slice(prefix.length)) ?? []
  if (salt === undefined || hash === undefined) return null
  const bytes = Buffer.from(hash, 'base64')
  return bytes.length === HASH_BYTES ? { salt: Buffer.from(salt, 'base64'), hash: bytes } : null
}

function createQueue() {
  let running = 0
  const waiting: (() => void)[] = []

  async function acquireSlot() {
    if (running < RUNNING_MAX) {
      running++
      return
    }
    if (waiting.length >= WAITING_MAX) {
      throw new AppError('too_many_requests', { seconds: BUSY_SECONDS })
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  return async <Result>(run: () => Promise<Result>): Promise<Result> => {
    await acquireSlot()
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

const encode = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '@tollgate/contract'

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const SALT_BYTES = 16
const HASH_BYTES = 32

/** Two runs leave half of libuv's threads to file and DNS work, and take 38 MiB. */
const RUNNING_MAX = 2
const WAITING_MAX = 50
const BUSY_SECONDS = 5

const derive = promisify(argon2)

let running = 0
const waiting: (() => void)[] = []

/** Argon2id in PHC string format. Throws `too_many_requests` if too many calls are waiting. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await compute(password, salt)
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${encode(salt)}$${encode(hash)}`
}

const FORMAT = new RegExp(
  `^\\$argon2id\\$v=19\\$m=${MEMORY_KIB},t=${PASSES},p=${LANES}\\$([\\w+/]+)\\$([\\w+/]+)$`,
)

const DUMMY_HASH = {
  salt: randomBytes(SALT_BYTES),
  hash: randomBytes(HASH_BYTES),
}

/** Takes equally long if the user does not exist or has no password. */
export async function verifyPassword(password: string, stored: string | undefined) {
  const known = readHash(stored)
  const { salt, hash } = known ?? DUMMY_HASH
  const computed = await compute(password, salt)
  return timingSafeEqual(computed, hash) && known !== null
}

function readHash(stored: string | undefined) {
  const [, salt, hash] = FORMAT.exec(stored ?? '') ?? []
  if (salt === undefined || hash === undefined) return null
  const bytes = Buffer.from(hash, 'base64')
  return bytes.length === HASH_BYTES ? { salt: Buffer.from(salt, 'base64'), hash: bytes } : null
}

async function compute(password: string, nonce: Buffer): Promise<Buffer> {
  await acquireSlot()
  try {
    return await derive('argon2id', {
      message: password,
      nonce,
      parallelism: LANES,
      tagLength: HASH_BYTES,
      memory: MEMORY_KIB,
      passes: PASSES,
    })
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

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

const encode = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

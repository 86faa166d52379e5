import { createDecipheriv, createHash, hkdfSync } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const AT_REST = 'litellm-at-rest-v3'

/** The key that LiteLLM seals values of its database with. */
const saltKey = () => process.env['LITELLM_SALT_KEY'] ?? process.env['LITELLM_MASTER_KEY']

/** A sealed value in plain text; null if it is sealed in another form or with another key. */
export function openSealed(value: string): string | null {
  const salt = saltKey()
  const [version = '', cipher, text = ''] = value.split(':')
  if (salt === undefined || cipher !== 'gcm') return null
  const base = createHash('sha256').update(salt).digest()
  const key =
    version === 'v3' ? Buffer.from(hkdfSync('sha256', base, '', AT_REST, KEY_BYTES)) : base
  try {
    const bytes = Buffer.from(text, 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
    return Buffer.concat([opened, decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

const FROM_ENVIRONMENT = 'os.environ/'

/** A value of the configuration; null for a variable that is not set. */
export function resolveValue(value: string): string | null {
  if (!value.startsWith(FROM_ENVIRONMENT)) return value
  return process.env[value.slice(FROM_ENVIRONMENT.length)] ?? null
}

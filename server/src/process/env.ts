import { isIP } from 'node:net'
import { availableParallelism, hostname } from 'node:os'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { addressFaultOf, DEFAULT_ROOT_PASSWORD } from '@tollgate/contract'
import { hostsOf } from '../store/postgres-targets.ts'
import { readSmallFile } from './read-small-file.ts'

export type Env = z.output<typeof schema>

const isRange = (text: string) => isIP(text) !== 0 || ipaddr.isValidCIDR(text)

const text = z.string().trim().min(1).optional()

/**
 * The address of a database server. In a password, an unescaped `#` or `/` would end the password
 * early and change the address, so an address with leftover parts is rejected.
 */
const databaseAddress = (begins: readonly string[], isComplete: (url: Parts) => boolean) =>
  text
    .refine(
      (address) => address === undefined || begins.some((begin) => address.startsWith(begin)),
      {
        error: `must begin with ${begins.join(' or ')}`,
      },
    )
    .refine((address) => address === undefined || areAddresses(address, isComplete), {
      error:
        `must be an address like ${begins[0]}user:password@host:port/database; ` +
        'percent-encode special characters of the password',
    })

type Parts = Pick<
  URL,
  'username' | 'password' | 'hostname' | 'pathname' | 'search' | 'searchParams'
>

const NO_HOST = 'no-host.invalid'

/**
 * `URL` rejects credentials without a host. PostgreSQL's driver inserts a placeholder host at the
 * same position.
 */
function parse(address: string): Parts | null {
  const url = URL.parse(address) ?? URL.parse(address.replace('@/', `@${NO_HOST}/`))
  if (url === null) return null
  const { username, password, pathname, search, searchParams } = url
  const hostname = url.hostname === NO_HOST ? '' : url.hostname
  return { username, password, hostname, pathname, search, searchParams }
}

/** Each host of a list, such as `one:5432,two:5432`, makes an address of its own. */
const areAddresses = (address: string, isComplete: (url: Parts) => boolean) =>
  hostsOf(address).every((each) => isAddress(each, isComplete))

function isAddress(address: string, isComplete: (url: Parts) => boolean): boolean {
  const url = parse(address)
  if (url === null || /[\s\\#]/.test(address)) return false
  const parts = [url.username, url.password, url.pathname, url.hostname]
  return parts.every(isDecodable) && !url.pathname.includes('@') && isComplete(url)
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

/** Redis numbers its databases. Every other part of the address would be ignored. */
const isRedisAddress = ({ hostname, pathname, search }: Parts) =>
  hostname !== '' && search === '' && /^\/?\d{0,4}$/.test(pathname)

/** `?host=` names a socket, so the host may be empty. */
const isPostgresAddress = ({ hostname, searchParams }: Parts) =>
  hostname !== '' || searchParams.has('host')

const ranges = z
  .string()
  .default('')
  .transform((list) =>
    list
      .split(',')
      .map((range) => range.trim())
      .filter((range) => range !== ''),
  )
  .refine((all) => all.every(isRange), {
    error: 'must be a comma-separated list of addresses or CIDR ranges',
  })

/**
 * The address of a login or verification server. It receives secrets and its answer grants access
 * to accounts, so TLS is required.
 */
const serverAddress = (fallback: string) =>
  z
    .string()
    .trim()
    .default(fallback)
    .transform((url) => url.replace(/\/+$/, ''))
    .refine((url) => url.startsWith('https://') && URL.canParse(url), {
      error: 'must begin with https://',
    })
    .refine((url) => addressFaultOf(url) === null, {
      error: 'must have no "#", "?", spaces or backslashes',
    })

const seconds = (fallback: number, max: number) =>
  z
    .string()
    .default(String(fallback))
    .refine((text) => /^\d{1,3}$/.test(text) && Number(text) <= max, {
      error: `must be a whole number from 0 to ${max}`,
    })
    .transform(Number)

const collectorAddress = text.refine(
  (url) => url === undefined || (/^https?:\/\//.test(url) && URL.canParse(url)),
  { error: 'must begin with http:// or https://' },
)

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `must be ${values.join(', ').replace(/, (?=[^,]+$)/, ' or ')}` })

const exporter = oneOf(['otlp', 'none']).default('otlp')

/** Also for the key in a file of DATA_DIR. */
export const SECRET_LENGTH_MIN = 16
const SECRET_BYTES_MAX = 65_536
const NODE_ID_MAX = 100

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const schema = z.object({
  PORT: z
    .string()
    .default('3000')
    .refine((port) => /^\d{1,5}$/.test(port) && Number(port) <= 65_535, {
      error: 'must be a whole number from 0 to 65535',
    })
    .transform(Number),
  HOST: z.string().trim().min(1).default('0.0.0.0'),
  BASE_PATH: z
    .string()
    .trim()
    .default('')
    .transform((path) => path.replace(/\/$/, ''))
    .refine((path) => /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/.test(path), {
      error: 'must be a path such as /gate, of letters, digits, "-", "_", "." and "~"',
    }),
  DATA_DIR: z
    .string()
    .min(1)
    .default('./data')
    .transform((path) => resolve(path)),
  DATABASE_URL: databaseAddress(['postgres://', 'postgresql://'], isPostgresAddress),
  DATABASE_WAIT_SECONDS: seconds(60, 600),
  REDIS_URL: databaseAddress(['redis://', 'rediss://'], isRedisAddress),
  SECRET_KEY: text.refine((key) => key === undefined || key.length >= SECRET_LENGTH_MIN, {
    error: `must have at least ${SECRET_LENGTH_MIN} characters`,
  }),
  NODE_ID: z
    .string()
    .trim()
    .refine((name) => name.length > 0 && name.length <= NODE_ID_MAX, {
      error: `must have 1 to ${NODE_ID_MAX} characters`,
    })
    .default(hostname()),
  TRUSTED_PROXIES: ranges,
  UPSTREAM_PRIVATE_NETWORKS: ranges,
  /** Pins the option ChannelPrivateNetworksEnabled, which administrators could change otherwise. */
  CHANNEL_PRIVATE_NETWORKS: oneOf(['allow', 'forbid']).optional(),
  INITIAL_ROOT_PASSWORD: z
    .string()
    .default(DEFAULT_ROOT_PASSWORD)
    .refine((password) => password.length >= 6 && password.length <= 100, {
      error: 'must have 6 to 100 characters',
    }),
  DEFAULT_PASSWORD_NETWORKS: ranges,
  INITIAL_ROOT_TOKEN: text
    .transform((key) => key?.replace(/^sk-/, ''))
    .refine((key) => key === undefined || /^[0-9A-Za-z]{20,48}$/.test(key), {
      error: 'must have 20 to 48 letters and digits, with or without sk- in front',
    }),
  INITIAL_ROOT_ACCESS_TOKEN: text.refine(
    (token) => token === undefined || /^[0-9A-Za-z]{20,64}$/.test(token),
    { error: 'must have 20 to 64 letters and digits' },
  ),
  GITHUB_ADDRESS: serverAddress('https://github.com'),
  GITHUB_API_ADDRESS: serverAddress('https://api.github.com'),
  LARK_ADDRESS: serverAddress('https://open.feishu.cn'),
  TURNSTILE_ADDRESS: serverAddress('https://challenges.cloudflare.com'),
  TELEGRAM_ADDRESS: serverAddress('https://api.telegram.org'),
  WORKERS: z
    .string()
    .default('1')
    .refine((text) => text === 'auto' || /^[1-9]\d?$/.test(text), {
      error: 'must be auto or a whole number from 1 to 99',
    })
    .transform((text) => (text === 'auto' ? availableParallelism() : Number(text))),
  METRICS_PORT: z
    .string()
    .refine((port) => /^\d{1,5}$/.test(port) && Number(port) <= 65_535, {
      error: 'must be a whole number from 0 to 65535',
    })
    .transform(Number)
    .optional(),
  METRICS_TOKEN: text.refine((token) => token === undefined || /^\S{16,}$/.test(token), {
    error: 'must have at least 16 characters, without spaces',
  }),
  OTEL_SDK_DISABLED: oneOf(['true', 'false']).default('false'),
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorAddress,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collectorAddress,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collectorAddress,
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/json'], {
      error: 'must be http/json, which collectors accept at the same address as http/protobuf',
    })
    .default('http/json'),
  OTEL_TRACES_EXPORTER: exporter,
  OTEL_METRICS_EXPORTER: exporter,
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .default('1')
    .transform(Number)
    .refine((ratio) => ratio >= 0 && ratio <= 1, { error: 'must be a number from 0 to 1' }),
  ACCESS_LOG: oneOf(['on', 'off']).default('off'),
  SHUTDOWN_DELAY_SECONDS: seconds(0, 300),
  SYNC_JOURNAL: oneOf(['off', 'always']).default('off'),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

/** The process cannot start with this setting. The message names the variable. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** Variables that may name a file instead, as `SECRET_KEY_FILE`. */
const SECRETS = [
  'DATABASE_URL',
  'REDIS_URL',
  'SECRET_KEY',
  'INITIAL_ROOT_PASSWORD',
  'INITIAL_ROOT_TOKEN',
  'INITIAL_ROOT_ACCESS_TOKEN',
  'METRICS_TOKEN',
] as const satisfies readonly (keyof Env)[]

function readSecretFiles(variables: NodeJS.ProcessEnv): Record<string, string> {
  const secrets: Record<string, string> = {}
  for (const name of SECRETS) {
    const variable = `${name}_FILE`
    const file = variables[variable]
    if (file === undefined) continue
    if (variables[name] !== undefined) {
      throw new ConfigurationError(`${name} and ${variable} are both set; set one of them.`)
    }
    secrets[name] = readSecret(variable, file)
  }
  return secrets
}

function readSecret(variable: string, file: string): string {
  let text: string
  try {
    text = readSmallFile(file, SECRET_BYTES_MAX)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError(`${variable} ${file} cannot be read: ${reason}.`)
  }
  const secret = withoutLineEnd(text)
  if (secret === '') throw new ConfigurationError(`${variable} ${file} is empty.`)
  return secret
}

/** Files that `echo` has written, and Secrets of Kubernetes made from these, end with a newline. */
const withoutLineEnd = (text: string) => text.replace(/\r?\n$/, '')

export function readEnv(variables: NodeJS.ProcessEnv): Env {
  // An empty variable, such as `PORT=` in an env file, counts as not set.
  const setVariables = Object.fromEntries(
    Object.entries(variables)
      .map(([name, value = '']) => [name, withoutLineEnd(value)] as const)
      .filter(([, value]) => value !== ''),
  )
  const parsed = schema.safeParse({ ...setVariables, ...readSecretFiles(setVariables) })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const name = String(issue?.path[0] ?? 'configuration')
  throw new ConfigurationError(`${name} ${issue?.message ?? 'is not valid'}.`)
}

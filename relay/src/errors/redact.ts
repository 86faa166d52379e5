const LENGTH_MAX = 1000

/*
 * Patterns that may reveal the upstream, its account or a secret. Host names need a known ending,
 * since names of models and members have dots too.
 */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:https?|wss?):\/\/[^\s"'<>)\]}]+/gi, '[address]'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '[mail]'],
  [/\b(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]+:\d{2,5}(?:\/[^\s"'<>)\]}]*)?/gi, '[address]'],
  [
    /\b(?:[a-z0-9-]+\.)+(?:com|cn|net|org|io|ai|dev|app|cloud|xyz|top|site|online|info|me|cc|co|local|internal|svc)(?::\d+)?(?:\/[^\s"'<>)\]}]*)?(?![\w-])/gi,
    '[address]',
  ],
  [/\blocalhost(?::\d+)?\b/gi, '[address]'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '[address]'],
  [/\[[0-9a-f:]*:[0-9a-f:]+\](?::\d+)?/gi, '[address]'],
  // Query values of a path without a host, as servers quote the requested path.
  [/(?<=[?&][\w.~%-]+=)[^\s"'<>()[\]{}&]+/g, '[key]'],
  [/\bBearer\s+\S+/gi, '[key]'],
  [/\b(?:sk|gsk|rk|fastgpt)-[\w*.-]*[\w*]/gi, '[key]'],
  [/\b(?:org|proj|acct|user|team|ws)[-_](?=[A-Za-z]*\d)[A-Za-z0-9]{6,}/g, '[account]'],
  [/\bAIza[\w-]+/g, '[key]'],
  [/[\w.-]*\*{3,}[\w.*-]*/g, '[key]'],
  [/\b(request|trace)[ _-]?id\b["']?[ :=]{1,3}["']?(?=[\w-]*\d)[\w-]+/gi, '$1 id [id]'],
  [/\breq_\w+/g, '[id]'],
  [/(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9_]{24,}(?![\w-])/g, '[id]'],
]

/** Channel settings that a provider may repeat in its errors. */
export type UpstreamSecrets = {
  readonly key: string
  /** The channel's own; empty for the provider's default. */
  readonly baseUrl: string
  readonly proxy: string | null
  /** Headers that the operator adds. Any value may be a key. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Keyless servers get a placeholder key, which is no secret and may occur in any answer. */
const SECRET_LENGTH_MIN = 8

/** Query parameters that only name the requested resource, which errors may repeat. */
const HARMLESS_PARAMETER = /^(?:api-version|alt|deployment|model)=/i
/** Long path segments of letters and digits, outside the places of model names. */
const RANDOM_SEGMENT =
  /(?<=\/)(?<!\/(?:deployments|engines|serving-endpoints|models(?:\/[^/]+)?)\/)(?=[^/]*\d)(?=[^/]*[a-z])[^/]{16,}/gi

/** Hides secrets that the upstream repeats: a key, a part of a key, or their form in a URL. */
export function hideSecrets(text: string, channelSecrets: UpstreamSecrets): string {
  const { key, baseUrl, proxy, headers = {} } = channelSecrets
  const addresses = [...passwordsIn(baseUrl), ...passwordsIn(proxy ?? '')]
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(' ')])
  return [key, ...key.split('|'), ...addresses, ...values]
    .flatMap(formsOf)
    .filter((form) => form.length >= SECRET_LENGTH_MIN)
    .toSorted((a, b) => b.length - a.length)
    .reduce((hidden, form) => hidden.replaceAll(form, '[key]'), text)
}

/** The secret itself, decoded, and encoded. An encoded secret in an address may be sent decoded. */
function formsOf(secret: string): string[] {
  const plain = decoded(secret)
  return [secret, plain, encodeURIComponent(plain.toWellFormed())]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Secrets in an address: the login, path segments that look random, and query values. Any query
 * value may be a key, and so may a parameter name without a value.
 */
function passwordsIn(address: string): string[] {
  const url = URL.parse(address)
  if (url === null) return []
  const parameters = url.search
    .slice(1)
    .split('&')
    .filter((parameter) => !HARMLESS_PARAMETER.test(parameter))
  const values = [...new URLSearchParams(parameters.join('&'))].map(
    ([name, value]) => value || name,
  )
  const asWritten = parameters.map((parameter) => parameter.slice(parameter.indexOf('=') + 1))
  const segments = url.pathname.match(RANDOM_SEGMENT) ?? []
  return [url.password || url.username, ...values, ...asWritten, ...segments]
}

/** Removes keys, addresses and account ids. Returns one line of at most 1 KB. */
export function redact(text: string): string {
  const oneLine = text.slice(0, 2 * LENGTH_MAX).replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
  const clean = SECRETS.reduce(
    (scrubbed, [pattern, replacement]) => scrubbed.replaceAll(pattern, replacement),
    oneLine,
  )
  return withinBytes(clean.trim(), LENGTH_MAX)
}

function withinBytes(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text
  // The cut may split a character, which then decodes to replacement characters.
  const cut = Buffer.from(text).toString('utf8', 0, bytesMax)
  return `${cut.replace(/\uFFFD+$/, '')}…`
}

const LENGTH_MAX = 1000

/*
 * What may name the upstream, its account or a secret. Host names need a known ending, since names of
 * models and members have dots too.
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
  // Of an address without a host, as servers name what they were asked for.
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

/** What a provider is asked with, and may repeat. */
export type AskedWith = {
  readonly key: string
  /** The channel's own; empty for the provider's. */
  readonly baseUrl: string
  readonly proxy: string | null
}

/** Servers without keys are given some word, which is no secret and may be a part of any answer. */
const SECRET_LENGTH_LEAST = 8

/** Says what is asked for, as a provider tells it in its errors. */
const HARMLESS_PARAMETER = /^(?:api-version|alt|deployment|model)=/i
/** Long, of letters and digits, and not where names of models stand. */
const RANDOM_SEGMENT =
  /(?<=\/)(?<!\/(?:deployments|engines|serving-endpoints|models(?:\/[^/]+)?)\/)(?=[^/]*\d)(?=[^/]*[a-z])[^/]{16,}/gi

/** Without a secret that the upstream repeats: whole, a part of a key, or as it stands in an address. */
export function hideSecrets(text: string, { key, baseUrl, proxy }: AskedWith): string {
  const secrets = [key, ...key.split('|'), ...passwordsIn(baseUrl), ...passwordsIn(proxy ?? '')]
  return secrets
    .flatMap(formsOf)
    .filter((form) => form.length >= SECRET_LENGTH_LEAST)
    .toSorted((one, other) => other.length - one.length)
    .reduce((hidden, form) => hidden.replaceAll(form, '[key]'), text)
}

/** As it is, and as addresses have it; what stands in an address is sent without that. */
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

/** Of a login, a query, any value of which may be a key (a name without a value is one), and a path. */
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

/** A text from an upstream without keys, addresses and account ids, on one line of at most 1 KB. */
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
  // Cutting may split a character, which then decodes to replacement characters.
  const cut = Buffer.from(text).toString('utf8', 0, bytesMax)
  return `${cut.replace(/\uFFFD+$/, '')}…`
}

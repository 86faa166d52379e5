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
  [/\bBearer\s+\S+/gi, '[key]'],
  [/\b(?:sk|gsk|rk|fastgpt)-[\w*.-]*[\w*]/gi, '[key]'],
  [/\b(?:org|proj|acct|user|team|ws)[-_](?=[A-Za-z]*\d)[A-Za-z0-9]{6,}/g, '[account]'],
  [/\bAIza[\w-]+/g, '[key]'],
  [/[\w.-]*\*{3,}[\w.*-]*/g, '[key]'],
  [/\b(request|trace)[ _-]?id\b["']?[ :=]{1,3}["']?(?=[\w-]*\d)[\w-]+/gi, '$1 id [id]'],
  [/\breq_\w+/g, '[id]'],
  [/(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9_]{24,}(?![\w-])/g, '[id]'],
]

/** Servers without keys are given some word, which is no secret and may be a part of any answer. */
const KEY_LENGTH_LEAST = 8

/** Without a key that the upstream repeats: whole, one of its parts, or as it stands in an address. */
export function hideKey(text: string, key: string): string {
  const parts = [key, ...key.split('|')].filter((part) => part.length >= KEY_LENGTH_LEAST)
  return parts
    .flatMap((part) => [part, encodeURIComponent(part.toWellFormed())])
    .reduce((hidden, form) => hidden.replaceAll(form, '[key]'), text)
}

/** A text from an upstream without keys, addresses and account ids, on one line of at most 1 KB. */
export function scrub(text: string): string {
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

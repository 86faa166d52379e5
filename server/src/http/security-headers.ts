/** Per list; many proxies accept only 4 KiB of headers in total. */
const ORIGINS_LENGTH_MAX = 1200

/** URLs in the operator's options: origins pages may frame, load images from and connect to. */
export type NamedSources = {
  frames: readonly string[]
  images: readonly string[]
  connections: readonly string[]
  humanCheck: boolean
}

/** Origin of the CAPTCHA's script and frame. */
const TURNSTILE = 'https://challenges.cloudflare.com'

const CONSTANT = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/** 180 days, without subdomains, which may belong to other services. */
const TRANSPORT = { 'Strict-Transport-Security': 'max-age=15552000' }
const NOTHING = {}

/** HSTS for clients that came over TLS; browsers ignore the header on plain HTTP. */
export const transportHeaders = (isSecure: boolean): Readonly<Record<string, string>> =>
  isSecure ? TRANSPORT : NOTHING

/**
 * Allows our own scripts and the CAPTCHA's. Style attributes of our components need
 * 'unsafe-inline'.
 */
export function securityHeaders({
  frames,
  images,
  connections,
  humanCheck,
}: NamedSources): Record<string, string> {
  const alsoTurnstile = humanCheck ? ` ${TURNSTILE}` : ''
  const policy = [
    "default-src 'self'",
    `script-src 'self'${alsoTurnstile}`,
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: ${originsIn(images)}`.trimEnd(),
    `frame-src 'self'${alsoTurnstile} ${originsIn(frames)}`.trimEnd(),
    `connect-src 'self' ${originsIn(connections)}`.trimEnd(),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  return { ...CONSTANT, 'Content-Security-Policy': policy.join('; ') }
}

/** A host may contain a semicolon, which would end the directive; such origins are dropped. */
const SAFE_ORIGIN = /^https?:\/\/[\w.:[\]-]+$/

function originsIn(texts: readonly string[]): string {
  const addresses = texts.flatMap((text) => text.match(/https?:\/\/[^\s"'<>()\\]+/g) ?? [])
  const origins = addresses
    .filter((address) => URL.canParse(address))
    .map((address) => new URL(address).origin)
    .filter((origin) => SAFE_ORIGIN.test(origin))
  let text = ''
  for (const origin of new Set(origins)) {
    if (text.length + origin.length < ORIGINS_LENGTH_MAX) text += ` ${origin}`
  }
  return text.trimStart()
}

/** Of each list; many proxies take 4 KiB of headers in all. */
const ORIGINS_LENGTH_MAX = 1200

/** Addresses the operator's options name: what pages may show in frames, load as images and ask. */
export type NamedSources = {
  frames: readonly string[]
  images: readonly string[]
  connections: readonly string[]
  /** Whether pages run the human check. */
  humanCheck: boolean
}

/** Where browsers load the human check from, as a script and as a frame. */
const TURNSTILE = 'https://challenges.cloudflare.com'

const CONSTANT = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/** 180 days, without subdomains: those may belong to other services. */
const TRANSPORT = { 'Strict-Transport-Security': 'max-age=15552000' }
const NOTHING = {}

/** Keeps a browser that came by TLS from asking without it; browsers ignore the header otherwise. */
export const transportHeaders = (isSecure: boolean): Readonly<Record<string, string>> =>
  isSecure ? TRANSPORT : NOTHING

/** Scripts are ours only, but for the human check's; the style attributes of our components need inline styles. */
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

/** A host may hold a semicolon, which would end the directive; such an address is left out. */
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

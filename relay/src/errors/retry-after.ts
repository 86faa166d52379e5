export type UpstreamHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

const WAIT_MS_MAX = 24 * 60 * 60 * 1000

/** Reads retry-after-ms, then retry-after (seconds or a date). Null when neither is valid. */
export function retryAfterMs(headers: UpstreamHeaders, now?: number): number | null {
  const exact = decimal(header(headers, 'retry-after-ms'))
  if (exact !== null) return bounded(exact)
  const given = header(headers, 'retry-after')
  const seconds = decimal(given)
  if (seconds !== null) return bounded(seconds * 1000)
  if (given === undefined || now === undefined || !/^[A-Z][a-z]+, /.test(given)) return null
  const wait = Date.parse(given) - now
  return Number.isNaN(wait) ? null : bounded(wait)
}

/** Reads a duration such as Google's "34.4s". */
export function durationMs(duration: unknown): number | null {
  const seconds = typeof duration === 'string' ? decimal(/^(.*)s$/.exec(duration)?.[1]) : null
  return seconds === null ? null : bounded(seconds * 1000)
}

function header(headers: UpstreamHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

function decimal(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,12}(?:\.\d+)?$/.test(text.trim()) ? Number(text) : null
}

function bounded(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), WAIT_MS_MAX)
}

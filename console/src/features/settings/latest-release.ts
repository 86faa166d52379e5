import { z } from 'zod'

const DEADLINE_MS = 10_000
const CHARACTERS_MAX = 1_000_000

const release = z.object({
  tag_name: z.string().trim().min(1).max(100),
  body: z.string().nullish(),
})

export type Release = { tag: string; text: string }

/** Fetches an external address. Throws with the reason if it returns no release in time. */
export async function readLatestRelease(address: string, fetchIt = fetch): Promise<Release> {
  const response = await fetchIt(address, {
    headers: { Accept: 'application/json' },
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(DEADLINE_MS),
  })
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`.trim())
  const text = await response.text()
  if (text.length > CHARACTERS_MAX) throw new Error('the answer is too long')
  const { tag_name: tag, body } = release.parse(JSON.parse(text))
  return { tag, text: body ?? '' }
}

/** A tag may have a "v" before the number. */
export const isSameVersion = (a: string, b: string) => plain(a) === plain(b)

const plain = (version: string) => version.trim().replace(/^v(?=\d)/i, '')

/** Content of a `data:` URL; `data` is base64. */
export type InlineData = { readonly mediaType: string; readonly data: string }

const HEAD_LENGTH_MAX = 256

/** Null for any other URL, and for a data URL that is not base64. */
export function readDataUrl(url: string): InlineData | null {
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,/i.exec(
    url.slice(0, HEAD_LENGTH_MAX),
  )
  const mediaType = head?.[1]?.toLowerCase()
  if (head === null || mediaType === undefined) return null
  const data = url.slice(head[0].length)
  return { mediaType: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data }
}

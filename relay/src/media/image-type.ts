const SIGNATURES = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['BM', 'image/bmp'],
] as const

type ImageType = (typeof SIGNATURES)[number][1] | 'image/webp'

/** Reads the first bytes, since declared types and file names are unreliable. */
export function imageType(bytes: Buffer): ImageType | null {
  const head = bytes.toString('latin1', 0, 12)
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp'
  return SIGNATURES.find(([begin]) => head.startsWith(begin))?.[1] ?? null
}

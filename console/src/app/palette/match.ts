/** Match rank, lower is better; null unless every typed piece occurs. */
function distance(words: string, pieces: readonly string[]): number | null {
  const text = words.toLowerCase()
  if (!pieces.every((piece) => text.includes(piece))) return null
  const [first = ''] = pieces
  if (text.startsWith(first)) return 0
  return text.includes(` ${first}`) ? 1 : 2
}

/** Entries that contain every typed piece; entries starting with the first piece come first. */
export function matching<Entry extends { words: string }>(
  entries: readonly Entry[],
  typed: string,
): Entry[] {
  const pieces = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return entries
    .flatMap((entry) => {
      const far = distance(entry.words, pieces)
      return far === null ? [] : [{ entry, far }]
    })
    .toSorted((a, b) => a.far - b.far)
    .map(({ entry }) => entry)
}

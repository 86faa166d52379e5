/** How near words are to what was typed, smaller is nearer; null when a piece of it is not in them. */
function distance(words: string, pieces: readonly string[]): number | null {
  const text = words.toLowerCase()
  if (!pieces.every((piece) => text.includes(piece))) return null
  const [first = ''] = pieces
  if (text.startsWith(first)) return 0
  return text.includes(` ${first}`) ? 1 : 2
}

/** The entries whose words hold every typed piece, those that begin with it first. */
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

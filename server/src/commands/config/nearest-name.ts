/** More edits than this make another word, not a slip. */
const EDITS_MAX = 3

/** The name that takes the fewest edits, or null if none is near. Letter case does not count. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const most = Math.min(EDITS_MAX, Math.ceil(name.length / 3))
  const ranked = known
    .map((candidate) => ({ candidate, edits: editsBetween(name, candidate) }))
    .toSorted((one, other) => one.edits - other.edits)
  const [nearest] = ranked
  return nearest !== undefined && nearest.edits <= most ? nearest.candidate : null
}

/** Levenshtein's distance. */
function editsBetween(one: string, other: string): number {
  const [from, to] = [one.toLowerCase(), other.toLowerCase()]
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === letter ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

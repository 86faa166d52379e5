import type { Installation, StoredChannel } from './installation.ts'

export type ChannelMatches = {
  /** By the names of the file; a channel to be created is not in it. */
  readonly matches: ReadonlyMap<string, StoredChannel>
  /** Names that several channels have. */
  readonly ambiguous: ReadonlyMap<string, readonly StoredChannel[]>
}

/** By the earlier file, or else by the name. A channel matches a single name. */
export function matchChannels(
  names: readonly string[],
  { managed, channels }: Installation,
): ChannelMatches {
  const idOf = new Map(
    managed.objects.flatMap(({ kind, name, channel_id }) =>
      kind === 'channel' ? [[name, channel_id] as const] : [],
    ),
  )
  const matches = new Map<string, StoredChannel>()
  for (const name of names) {
    const known = channels.find(({ id }) => id === idOf.get(name))
    if (known !== undefined) matches.set(name, known)
  }
  const taken = new Set([...matches.values()].map(({ id }) => id))
  const ambiguous = new Map<string, readonly StoredChannel[]>()
  for (const name of names) {
    if (matches.has(name)) continue
    const named = channels.filter((row) => row.name === name && !taken.has(row.id))
    const [only, ...others] = named
    if (others.length > 0) ambiguous.set(name, named)
    else if (only !== undefined) matches.set(name, only)
  }
  return { matches, ambiguous }
}

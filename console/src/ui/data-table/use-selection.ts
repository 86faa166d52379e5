import { useState } from 'react'

type Settings = {
  ids: readonly string[]
  /** Identifies the page and filter; a new scope clears the selection. */
  scope: string
}

type Chosen = { scope: string; ids: ReadonlySet<string>; anchor: string | null }

const NONE: ReadonlySet<string> = new Set()

export function useSelection({ ids, scope }: Settings) {
  const [chosen, setChosen] = useState<Chosen>({ scope, ids: NONE, anchor: null })
  const isCurrent = chosen.scope === scope
  const selected = new Set(isCurrent ? ids.filter((id) => chosen.ids.has(id)) : [])
  const choose = (next: ReadonlySet<string>, anchor: string | null) =>
    setChosen({ scope, ids: next, anchor })

  const toggle = (id: string, isRange: boolean) => {
    const range = isRange && isCurrent ? rangeOf(ids, chosen.anchor, id) : [id]
    const isWanted = !selected.has(id)
    const next = new Set(selected)
    for (const each of range) {
      if (isWanted) next.add(each)
      else next.delete(each)
    }
    choose(next, id)
  }
  return {
    selected,
    toggle,
    toggleAll: () => choose(selected.size === ids.length ? NONE : new Set(ids), null),
    clear: () => choose(NONE, null),
  }
}

/** Includes both ends. Returns only `to` when `from` is not visible. */
export function rangeOf(ids: readonly string[], from: string | null, to: string): string[] {
  const start = from === null ? -1 : ids.indexOf(from)
  const end = ids.indexOf(to)
  if (start === -1 || end === -1) return [to]
  return ids.slice(Math.min(start, end), Math.max(start, end) + 1)
}

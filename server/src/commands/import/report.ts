import { storableText } from '../../store/storable-text.ts'

const SHOWN_MAX = 20
const DETAIL_LENGTH_MAX = 300

const KINDS = ['options', 'users', 'channels', 'keys', 'codes', 'log rows'] as const

export type Kind = (typeof KINDS)[number]

const OUTCOMES = ['new', 'changed', 'same', 'left out'] as const

type Outcome = (typeof OUTCOMES)[number]

/** What was read, what became of it, and what could not be carried over. */
export class Report {
  readonly #counts = new Map<Kind, Map<Outcome, number>>()
  readonly #topics = new Map<string, { count: number; details: string[] }>()

  count(kind: Kind, outcome: Outcome, amount = 1) {
    const counts = this.#counts.get(kind) ?? new Map<Outcome, number>()
    counts.set(outcome, (counts.get(outcome) ?? 0) + amount)
    this.#counts.set(kind, counts)
  }

  readonly tell = (topic: string, detail: string) => {
    const found = this.#topics.get(topic) ?? { count: 0, details: [] }
    found.count += 1
    if (found.details.length < SHOWN_MAX) found.details.push(printable(detail))
    this.#topics.set(topic, found)
  }

  lines(): string[] {
    const counts = KINDS.flatMap((kind) => {
      const found = this.#counts.get(kind)
      if (found === undefined) return []
      const parts = OUTCOMES.flatMap((outcome) => {
        const count = found.get(outcome) ?? 0
        return count === 0 ? [] : [`${count} ${outcome}`]
      })
      return [`${kind}: ${parts.join(', ')}`]
    })
    const topics = [...this.#topics].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return [...counts, ...topics.flatMap(([topic, found]) => topicLines(topic, found))]
  }
}

/** Names of the source may have control characters, which a terminal would obey. */
const printable = (detail: string) =>
  storableText(detail.replaceAll(/\p{Cc}/gu, ' '), DETAIL_LENGTH_MAX)

function topicLines(topic: string, { count, details }: { count: number; details: string[] }) {
  const rest = count > details.length ? [`  … and ${count - details.length} more`] : []
  return [`${topic} (${count})`, ...details.map((detail) => `  ${detail}`), ...rest]
}

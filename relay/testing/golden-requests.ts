import path from 'node:path'
import { isRecord, type JsonRecord, listOf, parseJson } from '../src/bytes/json-value.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { encodeChat } from './client-request.ts'
import { readTapes, type Tape, wireAt } from './tapes.ts'
import { providerAt, type Target, TARGETS } from './vendors/sent-requests.ts'

/*
 * What a provider of each wire gets of the requests that agents have sent, turn by turn. A turn
 * names the turn that has the same, and states the rest.
 */

export const GOLDEN_FOLDER = path.join(import.meta.dirname, 'golden-requests')

/** A model of each wire. */
const MODELS = ['gpt-4.1', 'gpt-5-mini', 'claude-sonnet-4-5', 'gemini-3.1-pro-preview'] as const
const WIRES = ['openai', 'responses', 'anthropic', 'gemini']

const targets: readonly Target[] = MODELS.flatMap((model, at) =>
  TARGETS.filter((target) => {
    const { dialect } = providerAt(target).descriptor
    return target.model === model && dialect === WIRES[at]
  }),
)

/** By target; the tapes are those of an agent. */
export function goldenRequests(tapes: readonly Tape[]): JsonRecord {
  const turns = targets.map((target) => [target.model, turnsTo(target, tapes)] as const)
  return Object.fromEntries(turns.filter(([, list]) => list.length > 0))
}

type Sent = { readonly turn: string; readonly body: JsonRecord }

function turnsTo(target: Target, tapes: readonly Tape[]): JsonRecord[] {
  const provider = providerAt(target)
  const earlier: Sent[] = []
  return tapes.flatMap(({ double, requests }) =>
    requests.flatMap(({ path: requestPath, headers, body }, at) => {
      const { dialect, own } = wireAt(requestPath)
      if (own.includes(provider.descriptor.dialect)) return []
      const sent = encodeChat(dialect, provider, { model: target.model, headers, body })
      const turn = `${double} ${at + 1}`
      if (isRequestProblem(sent)) return [{ turn, refused: sent.message }]
      const given = parseJson(sent.body.toString())
      if (!isRecord(given)) throw new Error('no JSON')
      // The order of the members of a body has no meaning; that of all others is kept.
      const names = Object.keys(given).toSorted()
      const members: JsonRecord = Object.fromEntries(
        names.map((name) => [name, changeOf(name, given[name], earlier)]),
      )
      earlier.push({ turn, body: given })
      return [{ turn, ...members }]
    }),
  )
}

/** A list states which earlier turn it continues. */
function changeOf(name: string, value: unknown, earlier: readonly Sent[]): unknown {
  const text = JSON.stringify(value)
  const same = earlier.findLast(({ body }) => JSON.stringify(body[name]) === text)
  if (same !== undefined && text.length > SHORT) return { as: same.turn }
  if (!Array.isArray(value)) return value
  const items: unknown[] = value
  let [best, turn] = [0, '']
  for (const sent of earlier) {
    const count = sharedCount(items, listOf(sent.body[name]))
    if (count >= best) [best, turn] = [count, sent.turn]
  }
  return best === 0 ? items : { as: turn, first: best, more: items.slice(best) }
}

const SHORT = 60

function sharedCount(items: readonly unknown[], given: readonly unknown[]): number {
  const changed = items.findIndex((item, at) => JSON.stringify(item) !== JSON.stringify(given[at]))
  return changed === -1 ? items.length : changed
}

export const tapesByAgent = (): ReadonlyMap<string, readonly Tape[]> =>
  Map.groupBy(readTapes(), ({ agent, version }) => `${agent}-${version}`)

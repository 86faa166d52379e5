import { isRecord, member, parseJson } from '@tollgate/relay'
import { type Judgement, observe, textOfRule } from '../judgement.ts'
import { refusedBecause, withoutRequestId } from '../matrix.ts'
import type { MatrixWorld, Provider } from '../world.ts'
import { adaptation } from './adapted.ts'
import { CHAT } from './chat.ts'
import { GEMINI } from './gemini.ts'
import type { DialectProbes, Probe } from './member.ts'
import { MESSAGES } from './messages.ts'
import { RESPONSES } from './responses.ts'

/* Sends the same request with and without each member, and compares what reached the provider. */

export type MemberOutcome =
  | { type: 'told' }
  | { type: 'left-out' }
  /** Passed on with other values, which the message tells. */
  | { type: 'adapted'; message: string }
  /** Passed on unchanged, in the provider's own form, but the provider refuses it. */
  | { type: 'broken'; message: string }
  | { type: 'refused'; message: string }
  | { type: 'failed'; message: string }

export type MemberLine = { probe: Probe; outcomes: MemberOutcome[] }
export type MemberTable = { title: string; lines: MemberLine[] }

export async function runMembers({ providers }: MatrixWorld): Promise<MemberTable[]> {
  const tables: MemberTable[] = []
  for (const dialect of [CHAT, RESPONSES, MESSAGES, GEMINI]) {
    const columns = await Promise.all(providers.map((provider) => outcomesOf(dialect, provider)))
    const lines = dialect.probes.map((probe, index) => ({
      probe,
      outcomes: columns.map((outcomes) => outcomes[index] ?? NOT_RUN),
    }))
    tables.push({ title: dialect.title, lines })
  }
  return tables
}

const NOT_RUN: MemberOutcome = { type: 'failed', message: 'not run' }

async function outcomesOf(dialect: DialectProbes, provider: Provider): Promise<MemberOutcome[]> {
  const outcomes: MemberOutcome[] = []
  const known = new Map<object | undefined, Sent>()
  for (const probe of dialect.probes) {
    const without = { ...dialect.minimal, ...probe.common }
    const plain = known.get(probe.common) ?? (await send(dialect, without, provider))
    known.set(probe.common, plain)
    const full = await send(dialect, { ...without, ...probe.with }, provider)
    outcomes.push(compared(plain, full) ?? passed({ without, member: probe.with, plain, full }))
  }
  return outcomes
}

type Sent = {
  status: number
  message: string
  /** Paths and bodies. */
  arrived: string | null
  /** The last body. */
  body: string
  judged: Judgement
}

/** Null if the member was passed on. */
function compared(plain: Sent, full: Sent): MemberOutcome | null {
  if (plain.arrived === null) return { type: 'failed', message: plain.message }
  const faults = [...plain.judged.faults, ...full.judged.faults]
  if (faults.length > 0) {
    return { type: 'failed', message: refusedBecause(faults.map(textOfRule)) }
  }
  const { excused } = full.judged
  if (excused.length > 0) {
    return { type: 'broken', message: excused.map(textOfRule).join('; ') }
  }
  if (full.arrived !== null) {
    return full.arrived === plain.arrived ? { type: 'left-out' } : null
  }
  return { type: full.status === 400 ? 'refused' : 'failed', message: full.message }
}

type Passed = { without: object; member: object; plain: Sent; full: Sent }

function passed({ plain, full, ...sent }: Passed): MemberOutcome {
  const message = adaptation({ ...sent, plain: plain.body, full: full.body })
  return message === null ? { type: 'told' } : { type: 'adapted', message }
}

async function send(
  { path, dialect }: DialectProbes,
  request: object,
  provider: Provider,
): Promise<Sent> {
  const { place, received } = provider
  const from = received.length
  const judge = observe(provider, dialect)
  const response = await fetch(place.url + path, {
    method: 'POST',
    body: JSON.stringify(request),
    headers: { authorization: `Bearer ${place.key}`, 'content-type': 'application/json' },
  })
  const answer = parseJson(await response.text())
  const error = member(answer, 'error')
  const message = isRecord(error) ? withoutRequestId(String(error['message'])) : ''
  const calls = received.slice(from)
  const body = calls.at(-1)?.body.toString() ?? ''
  const arrived = calls.map((call) => `${pathOf(call)} ${call.body.toString()}`)
  return {
    status: response.status,
    message,
    arrived: arrived.join('\n') || null,
    body,
    judged: judge(),
  }
}

const pathOf = ({ path }: { path: string }) => path.split('?')[0]

import { isRecord, member, parseJson } from '@tollgate/relay'
import { withoutRequestId } from '../matrix.ts'
import type { MatrixWorld, Provider } from '../world.ts'
import { CHAT } from './chat.ts'
import { GEMINI } from './gemini.ts'
import type { DialectProbes, Probe } from './member.ts'
import { MESSAGES } from './messages.ts'
import { RESPONSES } from './responses.ts'

/* Sends the same request with and without each member, and compares what reached the provider. */

export type MemberOutcome =
  | { type: 'told' }
  | { type: 'left-out' }
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
    const plain = known.get(probe.common) ?? (await send(dialect.path, without, provider))
    known.set(probe.common, plain)
    const full = await send(dialect.path, { ...without, ...probe.with }, provider)
    outcomes.push(compared(plain, full))
  }
  return outcomes
}

type Sent = { status: number; message: string; arrived: string | null }

function compared(plain: Sent, full: Sent): MemberOutcome {
  if (plain.arrived === null) return { type: 'failed', message: plain.message }
  if (full.arrived !== null) {
    return { type: full.arrived === plain.arrived ? 'left-out' : 'told' }
  }
  return { type: full.status === 400 ? 'refused' : 'failed', message: full.message }
}

async function send(path: string, body: object, { place, received }: Provider): Promise<Sent> {
  const from = received.length
  const response = await fetch(place.url + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${place.key}`, 'content-type': 'application/json' },
  })
  const answer = parseJson(await response.text())
  const error = member(answer, 'error')
  const message = isRecord(error) ? withoutRequestId(String(error['message'])) : ''
  const arrived = received.slice(from).map((call) => `${pathOf(call)} ${call.body.toString()}`)
  return { status: response.status, message, arrived: arrived.join('\n') || null }
}

const pathOf = ({ path }: { path: string }) => path.split('?')[0]

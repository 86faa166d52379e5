import { scanAnswer } from '../../bytes/json-members.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { Usage } from '../../usage/usage.ts'
import { finalReport } from './final-usage.ts'

/**
 * Sets the usage of a complete answer, replacing any present usage; all other bytes stay. A body
 * that is not a JSON object is returned unchanged.
 */
export function* withUsage(body: Buffer, charged: Usage): Steps<Buffer> {
  const members = yield* scanAnswer(body)
  if ('reason' in members) return body
  const usage = JSON.stringify(finalReport({ ...charged, reported: null }))
  const existing = members.list.find(({ name }) => name === 'usage')
  if (existing !== undefined) return replaced(body, existing.valueStart, existing.end, usage)
  const comma = members.list.length === 0 ? '' : ','
  return replaced(body, members.closeAt, members.closeAt, `${comma}"usage":${usage}`)
}

const replaced = (body: Buffer, start: number, end: number, text: string) =>
  Buffer.concat([body.subarray(0, start), Buffer.from(text), body.subarray(end)])

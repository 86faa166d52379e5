import { EVENT_NODES_MAX, hasTooManyNodes } from '../bytes/json-limits.ts'
import { readJson } from '../bytes/json-parse.ts'
import { isRecord, type JsonRecord, member, textOf } from '../bytes/json-value.ts'
import type { Steps } from '../bytes/steps.ts'

/*
 * OpenAI Realtime: a session consists of events, each a JSON object in its own text frame. Events
 * are passed on; this module reads what decides a charge. Names differ between the preview version
 * of the protocol and the final version.
 */
export type RealtimeEvent = { readonly type: string; readonly json: JsonRecord }

export const isTooLarge = (frame: Buffer): boolean => hasTooManyNodes(frame)

const LIMITS = { nodesMax: EVENT_NODES_MAX }

/** Null if the frame is not an event or is too large. */
export function* readEvent(frame: Buffer): Steps<RealtimeEvent | null> {
  const json = yield* readJson(frame, LIMITS)
  if (!isRecord(json)) return null
  const type = textOf(member(json, 'type'))
  return type === '' ? null : { type, json }
}

/** Id of the response that a provider's event belongs to; empty if there is none. */
export const responseIdOf = ({ json }: RealtimeEvent): string =>
  textOf(member(json, 'response_id')) || textOf(member(member(json, 'response'), 'id'))

export type OutputDelta = { readonly text: string; readonly audioBytes: number }

const AUDIO = /^response\.(?:output_)?audio\.delta$/
const ANY_DELTA = /^response\..+\.delta$/

/** Output in a response delta: text, transcript, call arguments or audio; null for other events. */
export function readOutputDelta({ type, json }: RealtimeEvent): OutputDelta | null {
  if (!ANY_DELTA.test(type)) return null
  const delta = textOf(member(json, 'delta'))
  return AUDIO.test(type)
    ? { text: '', audioBytes: base64Bytes(delta.length) }
    : { text: delta, audioBytes: 0 }
}

const base64Bytes = (length: number) => Math.ceil((length * 3) / 4)

/** Bytes of audio that the client adds to the input buffer. */
export const appendedBytes = ({ json }: RealtimeEvent): number =>
  base64Bytes(textOf(member(json, 'audio')).length)

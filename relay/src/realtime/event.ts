import { EVENT_NODES_MAX, hasTooManyNodes } from '../json-limits.ts'
import { readJson } from '../json-parse.ts'
import { isRecord, type JsonRecord, member, textOf } from '../json-value.ts'
import type { Steps } from '../steps.ts'

/*
 * OpenAI's Realtime: a session is events, each one JSON object in a text frame of its own. They are passed on;
 * here is read what decides a charge. Names differ between the preview of the protocol and its final form.
 */
export type RealtimeEvent = { readonly type: string; readonly json: JsonRecord }

/** Whether a frame has more nodes than any event. */
export const isTooLarge = (frame: Buffer): boolean => hasTooManyNodes(frame)

const LIMITS = { nodesMax: EVENT_NODES_MAX }

/** Null for what is no event, or is too large. */
export function* readEvent(frame: Buffer): Steps<RealtimeEvent | null> {
  const json = yield* readJson(frame, LIMITS)
  if (!isRecord(json)) return null
  const type = textOf(member(json, 'type'))
  return type === '' ? null : { type, json }
}

/** The response that an event of the provider is about; empty where it names none. */
export const responseIdOf = ({ json }: RealtimeEvent): string =>
  textOf(member(json, 'response_id')) || textOf(member(member(json, 'response'), 'id'))

export type Said = { readonly text: string; readonly audioBytes: number }

const AUDIO = /^response\.(?:output_)?audio\.delta$/
const ANY_DELTA = /^response\..+\.delta$/

/** What a piece of a response says: text, a transcript, arguments of a call, or audio; null for other events. */
export function saidBy({ type, json }: RealtimeEvent): Said | null {
  if (!ANY_DELTA.test(type)) return null
  const delta = textOf(member(json, 'delta'))
  return AUDIO.test(type)
    ? { text: '', audioBytes: base64Bytes(delta.length) }
    : { text: delta, audioBytes: 0 }
}

const base64Bytes = (length: number) => Math.ceil((length * 3) / 4)

/** Audio that the client adds to the input buffer, in bytes. */
export const appendedBytes = ({ json }: RealtimeEvent): number =>
  base64Bytes(textOf(member(json, 'audio')).length)

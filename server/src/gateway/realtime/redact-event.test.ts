import { describe, expect, test } from 'vitest'
import { redactForClient } from './redact-event.ts'

const KEY = 'sk-upstream'
const ASKED_WITH = { key: KEY, baseUrl: 'https://a.example?code=planted-code', proxy: null }
const SECRETS = ['org-Abc', 'example.com', KEY, 'planted-code']
const where = `org-Abc123456 at https://x.example.com with ${KEY} or planted-code`
const failure = {
  type: 'invalid_request_error',
  code: KEY,
  param: where,
  message: `Bad audio for ${where}`,
  event_id: 'mine',
  organization: 'org-Abc123456',
}

const tell = (type: string, json: object): unknown =>
  JSON.parse(redactForClient({ type, json: { type, ...json } }, ASKED_WITH) ?? 'null')

describe('an error event for a client', () => {
  test.each([
    ['error', { error: failure }],
    ['conversation.item.input_audio_transcription.failed', { item_id: 'item_1', error: failure }],
    ['something.failed', { error: failure }],
    ['response.done', { response: { id: 'resp_1', status_details: { error: failure } } }],
    ['error', { message: where }],
    ['something.failed', { error: where }],
  ])('contains neither account nor secret, in %s with %j', (type, json) => {
    const told = JSON.stringify(tell(type, json))
    expect(told).toContain('"message":')
    for (const secret of SECRETS) expect(told).not.toContain(secret)
  })

  test('has the usual members of an error only, with the text of errors about the request', () => {
    const type = 'conversation.item.input_audio_transcription.failed'
    const told = tell(type, { item_id: 'item_1', error: failure })
    expect(told).toEqual({
      type,
      item_id: 'item_1',
      error: {
        type: 'invalid_request_error',
        code: expect.any(String),
        param: expect.any(String),
        message: expect.stringContaining('Bad audio for'),
      },
    })
  })

  test.each([
    ['mine', 'mine'],
    ['event_gateway_1', null],
    [undefined, null],
  ])("names the client's event it refers to: %s", (event_id, told) => {
    expect(tell('error', { event_id: 'event_1', error: { ...failure, event_id } })).toMatchObject({
      type: 'error',
      event_id: 'event_1',
      error: { event_id: told },
    })
  })
})

test.each([
  ['something.new', { strange: [1.5, 'ü'], error: null }],
  ['response.done', { response: { status_details: { type: 'cancelled', error: null } } }],
  ['session.created', { session: { client_secret: null } }],
])('an event without an error or a secret passes unchanged: %s', (type, json) => {
  expect(tell(type, json)).toBeNull()
})

import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveSecrets } from '../../src/secrets.ts'
import { SECRET_KEY, tapeRequests } from './tape.ts'

const place = { url: 'http://127.0.0.1:41234', home: '/tmp/a1/home', work: '/tmp/a1/work' }

function sentOf(path: string, body: object, headers = {}) {
  return { method: 'POST', path, headers, body: Buffer.from(JSON.stringify(body)), status: 200 }
}

const user = (content: unknown) => ({ role: 'user', content })

test('a request that a later one repeats is left out, wherever its cache mark stands', () => {
  const marked = user([{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }])
  const title = { model: 'm', messages: [user('A title?')] }
  const first = { model: 'm', tools: [], messages: [marked] }
  const last = { model: 'm', tools: [], messages: [user('hi'), user('go on')] }
  const sent = [title, first, last].map((body) => sentOf('/v1/messages?beta=true', body))
  const listed = { ...sentOf('/v1/models', {}), method: 'GET' }
  const requests = tapeRequests({ sent: [listed, ...sent], place })
  expect(requests.map(({ body }) => body)).toEqual([title, last])
})

test('two recordings of the same session are equal', () => {
  const record = () => {
    const [session, call] = [
      randomUUID(),
      `20261127${Math.random().toString().slice(2, 12)}0000000000000`,
    ]
    const cipher = deriveSecrets(SECRET_KEY).contentCipherFor(1)
    const encrypted = cipher.encrypt(JSON.stringify([{ type: 'tool_call', id: call }]))
    const input = [
      { type: 'reasoning', encrypted_content: `tg2_${encrypted}` },
      { type: 'function_call', call_id: call, arguments: `{"path":"${place.work}/note.txt"}` },
      user(`Today is ${new Date().toDateString()}. The session is ${session}.`),
    ]
    const body = { model: 'm', input, client_metadata: { session } }
    return sentOf('/v1/responses', body, { 'session-id': session, host: 'localhost' })
  }
  const [one, other] = [record(), record()].map((sent) => tapeRequests({ sent: [sent], place }))
  expect(one).toEqual(other)
  const tape = one?.[0]
  const text = JSON.stringify(tape?.body)
  expect(tape?.headers).toEqual({ 'session-id': '00000000-0000-4000-8000-000000000001' })
  expect(text).toContain('/home/agent/work/note.txt')
  expect(text).toContain('The session is 00000000-0000-4000-8000-000000000001.')
  const encrypted = /"encrypted_content":"tg2_([^"]+)"/.exec(text)?.[1] ?? ''
  const callId = /"call_id":"([^"]+)"/.exec(text)?.[1]
  const readable = Buffer.from(encrypted, 'base64url').toString()
  expect(JSON.parse(readable)).toEqual([{ type: 'tool_call', id: callId }])
})

test('long prose is cut, but neither JSON nor a signature', () => {
  const [long, signature] = ['a word '.repeat(400), 'x'.repeat(2000)]
  const args = JSON.stringify({ text: long })
  const messages = [user(long), user(args), user(signature)]
  const requests = tapeRequests({ sent: [sentOf('/v1/messages', { messages })], place })
  const text = JSON.stringify(requests)
  expect(text).toContain(`… (${long.length} characters)`)
  expect(text).toContain(signature)
  expect(text).toContain(JSON.stringify(args))
})

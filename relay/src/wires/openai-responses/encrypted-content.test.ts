import { expect, test } from 'vitest'
import { NestedJson } from '../../form/nested-json.ts'
import { LOST_SUMMARY } from './compaction.ts'
import { decryptEntries, encryptEntries, isOwnContent } from './encrypted-content.ts'
import { nativeInput } from './native-input.ts'
import { FOREIGN, READABLE_CIPHER as cipher } from './testing/readable-cipher.ts'

const reader = () => ({ cipher, nested: new NestedJson() })
const ENTRIES = [{ type: 'thinking', thinking: 'Hm', signature: 's' }]
const SUMMARY = [{ type: 'summary', text: 'Done: a.' }]

test('entries are decrypted as they were encrypted', () => {
  const encrypted = encryptEntries(ENTRIES, cipher)
  expect(isOwnContent(encrypted, cipher)).toBe(true)
  expect(decryptEntries(encrypted, reader())).toEqual(ENTRIES)
})

test.each([
  ['that is missing', undefined],
  ['that is empty', ''],
  ['that is no text', 5],
  ['of a provider', 'gAAAAABo'],
  ['of an earlier version', Buffer.from(JSON.stringify(ENTRIES)).toString('base64')],
  ['without entries', 'tg2_'],
  ['whose text is no JSON', `tg2_${cipher.encrypt('[{')}`],
  ['whose text is no list', `tg2_${cipher.encrypt('{"type":"thinking"}')}`],
])('content %s is not decrypted', (_, content) => {
  expect(decryptEntries(content, reader())).toBeNull()
})

test('content that is longer than any reasoning is not even decrypted', () => {
  const refuse = () => {
    throw new Error('it was decrypted')
  }
  const given = { cipher: { ...cipher, decrypt: refuse }, nested: new NestedJson() }
  expect(decryptEntries(`tg2_${'A'.repeat(8 * 1024 * 1024)}`, given)).toBeNull()
})

test('entries that are no objects are left out', () => {
  const content = `tg2_${cipher.encrypt('[1,null,[],{"type":"summary"}]')}`
  expect(decryptEntries(content, reader())).toEqual([{ type: 'summary' }])
})

const reasoning = (encrypted_content?: string) => ({ type: 'reasoning', encrypted_content })
const compaction = (encrypted_content: string, type = 'compaction') => ({ type, encrypted_content })
const said = (id?: string) => ({ ...(id && { id }), type: 'message', role: 'assistant' })
const message = (content: string) => ({ role: 'user', content })

const foreign = (entries: object[]) => `tg2_${FOREIGN}${cipher.encrypt(JSON.stringify(entries))}`

test.each([
  [
    'items of another gateway, which it may be itself',
    [reasoning(foreign(ENTRIES)), said('msg_1'), compaction(foreign(SUMMARY))],
    null,
    [],
  ],
  ['its own items', [reasoning('gAAA'), said('msg_1'), compaction('gAAB')], null, []],
  ['no reasoning of the gateway', [reasoning(encryptEntries(ENTRIES, cipher))], [], ['reasoning']],
  ['no reasoning that is stored nowhere', [reasoning()], [], ['reasoning']],
  [
    'summaries of the gateway as messages',
    [compaction(encryptEntries(SUMMARY, cipher), 'compaction_summary')],
    [message('Summary of the conversation so far:\nDone: a.')],
    [],
  ],
  [
    'a hint at summaries that cannot be decrypted',
    [compaction('tg2_x'), message('go on')],
    [message(LOST_SUMMARY), message('go on')],
    ['messages'],
  ],
])('a provider of the same API gets %s', (_, input, sent, losses) => {
  const read = nativeInput(input, {}, cipher)
  expect([read.input, [...read.losses]]).toEqual([sent ?? input, losses])
})

const LOST = message(LOST_SUMMARY)
const GO_ON = message('go on')

test.each([
  [{ dropsReasoning: true, dropsCompaction: true }, [said(), LOST], ['reasoning', 'messages']],
  [{ dropsReasoning: true }, [said(), compaction('gAAB')], ['reasoning']],
  [{ dropsCompaction: true }, [reasoning('gAAA'), said(), LOST], ['messages']],
])('a provider that cannot read its own items: %j', (drops, sent, losses) => {
  const input = [reasoning('gAAA'), said(), compaction('gAAB'), GO_ON]
  const read = nativeInput(input, drops, cipher)
  expect([read.input, [...read.losses]]).toEqual([[...sent, GO_ON], losses])
})

test('reasoning that led to nothing is left out', () => {
  const [first, second, third] = ['gAA1', 'gAA2', 'gAA3'].map((content) => reasoning(content))
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'c', output: 'x' }
  const input = [first, second, call, output, second, message('stop'), said(), third]
  const read = nativeInput(input.with(4, reasoning('gAA4')), {}, cipher)
  expect(read.input).toEqual([first, second, call, output, message('stop'), said()])
  expect([...read.losses]).toEqual(['reasoning'])
})

test('items that reasoning is missing before have no id, and those of clients keep theirs', () => {
  const asked = { id: 'msg_0', type: 'message', role: 'user', content: 'hi' }
  const hosted = [
    { type: 'web_search_call', action: { type: 'search', query: 'q' } },
    { type: 'code_interpreter_call', code: '1', container_id: 'cntr_1' },
    { type: 'mcp_call', name: 'm', arguments: '{}' },
    { type: 'image_generation_call', result: 'iVBO' },
  ]
  const named = hosted.map((item, at) => ({ ...item, id: `call_${at}` }))
  const input = [asked, reasoning('gAAA'), said('msg_1'), reasoning(), ...named, said('msg_2')]
  const read = nativeInput(input, {}, cipher)
  expect(read.input).toEqual([asked, reasoning('gAAA'), said(), ...hosted, said()])
  const unled = [asked, ...named]
  expect(nativeInput(unled, {}, cipher).input).toBe(unled)
  expect(nativeInput(unled, { dropsReasoning: true }, cipher).input).toEqual([asked, ...hosted])
  expect(nativeInput(input.toSpliced(3, 1), {}, cipher).input).toEqual(input.toSpliced(3, 1))
})

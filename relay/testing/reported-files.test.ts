import { expect, test } from 'vitest'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { encodeChat } from './client-request.ts'
import type { Wire } from './histories.ts'
import {
  assistant,
  chat,
  contents,
  expectAccepted,
  input,
  messages,
  parts,
  text,
  user,
} from './reports.ts'
import { CLIENTS, providerAt, TARGETS } from './vendors/sent-requests.ts'

/* Files by their address, and files without the head of a data URL. */

const PDF = 'https://files.example/report.pdf'
const VIDEO = 'https://files.example/clip.mp4?sign=a'
const CLIP_AT = 'https://files.example/clip.webm'
const PAGE = 'https://www.youtube.com/watch?v=abc'
const BYTES = 'JVBERi0xLjQK'
const BARE = { filename: 'a.pdf', file_data: BYTES }
const SUM_UP = text('Sum it up.')
const itemOf = (part: object) => input(user(part, { type: 'input_text', text: 'Sum it up.' }))
const chatOf = (part: object) => chat(user(part, SUM_UP))
const videoAt = (url: string) => ({ type: 'video_url', video_url: { url } })
const documentOf = (url: string) => ({ type: 'document', source: { type: 'url', url } })
const fileData = (fileUri: string, mimeType: string) =>
  contents(parts('user', { fileData: { fileUri, mimeType } }, { text: 'Sum it up.' }))

const CLAUDE = /^claude/
const GEMINI = /^gemini/
const RESPONSES = /^gpt-5\.6/
const OPENROUTER = /^openai\/gpt-4o-mini/

const QUESTION = messages(user(documentOf(PDF), SUM_UP))

test.each<[string, Wire, object, RegExp, string]>([
  ['a document of Claude', 'messages', QUESTION, GEMINI, PDF],
  ['a document of Claude', 'messages', QUESTION, RESPONSES, PDF],
  ['a document of Claude', 'messages', QUESTION, OPENROUTER, PDF],
  ['file_url', 'responses', itemOf({ type: 'input_file', file_url: PDF }), CLAUDE, PDF],
  ['file_url', 'responses', itemOf({ type: 'input_file', file_url: PDF }), GEMINI, '"fileUri"'],
  ['file_url', 'chat', chatOf({ type: 'input_file', file_url: PDF }), CLAUDE, PDF],
  ['OpenRouter: a file', 'chat', chatOf({ type: 'file', file: { file_data: PDF } }), CLAUDE, PDF],
  ['LiteLLM: a file', 'chat', chatOf({ type: 'file', file: { file_id: PDF } }), GEMINI, PDF],
  ['Zhipu: a file', 'chat', chatOf({ type: 'file_url', file_url: { url: PDF } }), RESPONSES, PDF],
  ['Mistral: a file', 'chat', chatOf({ type: 'document_url', document_url: PDF }), CLAUDE, PDF],
  ['a video', 'chat', chatOf(videoAt(VIDEO)), GEMINI, 'video/mp4'],
  ['a video without a name', 'chat', chatOf(videoAt('https://a.example/v/1')), GEMINI, 'video/mp4'],
  ['a signed video', 'chat', chatOf(videoAt(`${CLIP_AT}?sign=a/b.pdf`)), GEMINI, 'video/webm'],
  ['YouTube', 'chat', chatOf(videoAt(PAGE)), GEMINI, PAGE],
  ['Google: a file', 'gemini', fileData(PDF, 'application/pdf'), CLAUDE, PDF],
  ['Google: a file', 'gemini', fileData(PDF, 'application/pdf'), RESPONSES, '"file_url"'],
  ['bare base64', 'chat', chatOf({ type: 'file', file: BARE }), RESPONSES, `base64,${BYTES}`],
  ['bare base64', 'responses', itemOf({ type: 'input_file', ...BARE }), CLAUDE, BYTES],
])('%s of %s reaches another API', (report, wire, body, model, said) => {
  expectAccepted({ report, wire, model, isTranslated: true, body: { ...body }, says: [said] })
})

const HISTORY = messages(...QUESTION.messages, assistant(text('It is.')), user(text('Sure?')))
const CLIP = messages(user(documentOf(VIDEO), SUM_UP))

test.each([
  ['gpt-4.1', QUESTION, 'messages.0.content'],
  ['kimi-k2.6', QUESTION, 'messages.0.content'],
  ['gpt-4.1', HISTORY, null],
  ['kimi-k2.6', HISTORY, null],
  ['gemini-2.5-flash', CLIP, null],
  ['gpt-4.1', messages(user(documentOf('report.pdf'))), 'messages.0.content.0.source.url'],
])('%s is asked about no file that it cannot fetch', (model, body, param) => {
  const target = TARGETS.find((one) => one.model === model) ?? expect.fail(model)
  const dialect = CLIENTS['messages']?.dialect() ?? expect.fail('no client')
  const sent = encodeChat(dialect, providerAt(target), { model, body })
  expect(isRequestProblem(sent) ? sent.param : null).toBe(param)
})

import { expect, test } from 'vitest'
import { readRequest } from './openai-chat/read-head.ts'

const MESSAGES = '"model":"m","messages":[{"role":"user","content":"hi"}]'

const read = (members: string) => readRequest('chat', Buffer.from(`{${MESSAGES},${members}}`))

test('no earlier request hides a member whose name is escaped', () => {
  read(String.raw`"\\":1,"\\u006dax_t":1`)
  expect(read(String.raw`"\u006e":128,"\u006dax_tokens":9`)).toMatchObject({
    choices: 128,
    outputLimit: 9,
  })
})

import { expect, test } from 'vitest'
import { withoutChatMembers } from './chat-members.ts'

const user = (content: object[]) => ({ role: 'user', content })
const FILE = { type: 'input_file', file_url: 'https://a.example/a.pdf' }
const IMAGE = { type: 'input_image', file_id: 'file_1', detail: 'low' }

test('parts of Responses keep their members among those of other APIs', () => {
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } }
  const call = { type: 'function_call_output', call_id: 'call_1' }
  const parts = [{ type: 'text', text: 'a' }, FILE, IMAGE, picture]
  const own = [
    { type: 'input_text', text: 'a' },
    FILE,
    IMAGE,
    { type: 'input_image', image_url: 'data:image/png;base64,AA' },
  ]
  const inputOf = (list: object[]) => [user(list), { ...call, output: list }]
  const { input } = withoutChatMembers({ input: inputOf(parts) })
  expect(input).toEqual(inputOf(own))
})

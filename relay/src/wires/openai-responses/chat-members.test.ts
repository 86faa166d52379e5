import { expect, test } from 'vitest'
import { withoutChatMembers } from './chat-members.ts'

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
  const { input } = withoutChatMembers({
    input: [
      { role: 'user', content: parts },
      { ...call, output: parts },
    ],
  })
  expect(input).toEqual([
    { role: 'user', content: own },
    { ...call, output: own },
  ])
})

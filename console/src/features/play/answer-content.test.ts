import { expect, test } from 'vitest'
import { contentOf } from './answer-content.ts'

const of = (text: string, reasoning = '') => contentOf({ text, reasoning, images: [] })

test('reasoning that a model writes before its answer is not part of the answer', () => {
  expect(of('<think>\nHm.\n</think>\n\nYes.')).toEqual({
    reasoning: 'Hm.',
    text: 'Yes.',
    images: [],
  })
  expect(of('<think>\nStill')).toMatchObject({ reasoning: 'Still', text: '' })
  expect(of('Write <think> first.', 'So')).toMatchObject({
    reasoning: 'So',
    text: 'Write <think> first.',
  })
})

test('images in the text are shown as images, also before their end', () => {
  const url = 'data:image/png;base64,iVBORw=='
  const text = `Here:\n![image](${url})\nand ![cat](https://site.example/cat.png)`
  expect(contentOf({ text, reasoning: '', images: ['data:image/png;base64,AA'] })).toEqual({
    reasoning: '',
    text: 'Here:\n\nand ![cat](https://site.example/cat.png)',
    images: ['data:image/png;base64,AA', url],
  })
  expect(of('Here: ![image](data:image/png;base64,iVB').text).toBe('Here: ')
})

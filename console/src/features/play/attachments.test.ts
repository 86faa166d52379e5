import { expect, test } from 'vitest'
import { pastedFiles } from './attachments.ts'

const file = new File(['x'], 'image.png', { type: 'image/png' })

const pasted = (texts: Record<string, string>) =>
  pastedFiles({
    // Safe because only its items are read.
    files: [file] as unknown as FileList,
    types: ['Files', ...Object.keys(texts)],
    getData: (type) => texts[type] ?? '',
  })

test.each([
  ['cells of a spreadsheet', { 'text/plain': '1\t2', 'text/html': '<table>' }, []],
  ['a screenshot', {}, [file]],
  ['an image of a web page', { 'text/html': '<img src="a.png">' }, [file]],
  ['a file of a file manager', { 'text/plain': 'image.png' }, [file]],
])('%s is pasted as text or as a file', (_, texts, files) => {
  expect(pasted(texts)).toEqual(files)
})

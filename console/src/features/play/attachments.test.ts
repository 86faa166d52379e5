import { expect, test } from 'vitest'
import { pastedFiles, readAttachments } from './attachments.ts'

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

test('a folder is left out, and the files that came with it are read', async () => {
  const folder = new File([], 'folder')
  folder.text = () => Promise.reject(new DOMException('a folder', 'NotFoundError'))
  const text = new File(['x'], 'a.txt')
  expect(await readAttachments([folder, text], 5)).toEqual([
    { kind: 'text', name: 'a.txt', data: 'x' },
  ])
})

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  answerJson,
  answerStream,
  chunk,
  WHOLE_STREAM,
} from '../server/testing/fakes/scripted-upstream.ts'
import { answers, ask, composer, openPlayWorld } from './play-world.ts'
import { clipboard } from './steps.ts'

/** A dot of a single colour. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const IMAGE = `data:image/png;base64,${PNG}`

const messageOf = (message: object, finish_reason = 'stop') =>
  answerJson({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: '', ...message }, finish_reason }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  })

/** A piece of a call whose number skips one, as some providers send it. */
function callPiece(json: string): string {
  const call = { index: 1, id: 'call_1', type: 'function' }
  const tool_calls = [{ ...call, function: { name: 'search', arguments: json } }]
  const choices = [{ index: 0, delta: { tool_calls }, finish_reason: null }]
  const rest = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
  return `data: ${JSON.stringify({ ...rest, choices })}\n\n`
}

const continued = Promise.withResolvers<void>()

const { sent, open } = openPlayWorld([
  ['endless', 'gpt-4o', answerStream([chunk({ content: 'Half a' })], 'hang')],
  ['artist', 'gpt-4o-mini', messageOf({ content: `Here: ![a](${IMAGE})` })],
  ['thinker', 'o1', messageOf({ content: '<think>Hm.</think>\n<done> is a List<T>' }, 'length')],
  ['calling', 'gpt-4.1', answerStream([callPiece('{"q":')], 'hang')],
  [
    'long',
    'gpt-4',
    async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk({ content: 'A line.\n'.repeat(80) }))
      await continued.promise
      response.write(chunk({ content: 'The last line.' }))
    },
  ],
  ['plain', 'gpt-4.1-mini', answerStream(WHOLE_STREAM)],
])

async function choose(page: Page, model: string) {
  await page.getByRole('combobox', { name: 'Model' }).fill(model)
  await page.getByRole('option', { name: model, exact: true }).click()
}

test('what has come of an answer is kept when the reader leaves', async () => {
  const page = await open('gpt-4o')
  await ask(page, 'Tell me')
  await answers(page).getByText('Half a').waitFor()
  await page.getByRole('link', { name: 'Tokens', exact: true }).click()
  await page.waitForURL(/\/token$/)
  await page.goBack()
  await answers(page).getByText('Half a').waitFor()
  await page.getByText('Stopped.').waitFor()
  await ask(page, 'Again')
  await expect.poll(() => answers(page).getByText('Half a').count()).toBe(2)
  await page.reload()
  await expect.poll(() => answers(page).getByText('Half a').count()).toBe(2)
  expect(await page.getByText('Stopped.').count()).toBe(2)
})

test('the end of a long answer is kept in view until the reader scrolls up', async () => {
  const page = await open('gpt-4')
  const below = () =>
    page.evaluate<number>('document.documentElement.scrollHeight - scrollY - innerHeight')
  await ask(page, 'A long story')
  await answers(page).getByText('A line.').waitFor()
  await expect.poll(below).toBeLessThan(5)
  expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(300)
  await page.mouse.move(500, 300)
  await page.mouse.wheel(0, -200)
  await expect.poll(below).toBeGreaterThan(100)
  continued.resolve()
  await answers(page).getByText('The last line.').waitFor()
  expect(await below()).toBeGreaterThan(100)
})

test('images of an answer are shown, and sent back as images', async () => {
  const page = await open('gpt-4o-mini', { isStreamed: false })
  await ask(page, 'Draw')
  const image = answers(page).getByRole('img', { name: 'Image by gpt-4o-mini' })
  await image.waitFor()
  expect(await image.getAttribute('src')).toBe(IMAGE)
  await ask(page, 'Bluer')
  await expect.poll(() => sent.get('artist')?.length).toBe(3)
  // Chat completions have no place for images of the assistant.
  expect(JSON.stringify(sent.get('artist'))).not.toContain(PNG)
})

test('reasoning is set apart, tags are shown, and an answer that was cut off says so', async () => {
  const page = await open('o1', { isStreamed: false })
  await ask(page, 'Which?')
  await answers(page).getByText('<done> is a List<T>').waitFor()
  await answers(page).locator('summary', { hasText: 'Reasoning' }).click()
  await answers(page).getByText('Hm.', { exact: true }).waitFor()
  await page.getByText('Cut off at the output limit.').waitFor()
})

test('a call that was cut off is left out of what follows', async () => {
  const page = await open('gpt-4.1')
  await ask(page, 'Search')
  await answers(page).getByText('Call to search').waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByText('Stopped.').waitFor()
  expect(await page.getByRole('button', { name: 'Send results' }).count()).toBe(0)
  // The conversation with the call is still there after a reload.
  await page.reload()
  await answers(page).getByText('Call to search').waitFor()
  await choose(page, 'gpt-4.1-mini')
  await ask(page, 'Never mind')
  await expect.poll(() => sent.get('plain')?.map(({ role }) => role)).toEqual(['user', 'user'])
})

/** Plays a paste, or a drop of files onto the page. False if the page has taken it. */
const give = (page: Page, how: 'paste' | 'drop', texts: Record<string, string>, files: string[]) =>
  page.evaluate<boolean>(`{
    const data = new DataTransfer()
    const { how, texts, files } = ${JSON.stringify({ how, texts, files })}
    for (const [type, text] of Object.entries(texts)) data.setData(type, text)
    for (const text of files) data.items.add(new File([text], 'image.png', { type: 'image/png' }))
    const options = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data }
    const target = how === 'paste' ? document.querySelector('form textarea') : document.body
    target.dispatchEvent(new (how === 'paste' ? ClipboardEvent : DragEvent)(how, options))
  }`)

test('cells are pasted as text, and images of one name are all attached', async () => {
  const page = await open('gpt-4.1-mini')
  const images = page.getByRole('img', { name: 'image.png' })
  // The browser pastes the text itself.
  const cells = { 'text/plain': '1\t2', 'text/html': '<table>' }
  expect(await give(page, 'paste', cells, ['cells'])).toBe(true)
  expect(await give(page, 'paste', {}, ['one', 'two'])).toBe(false)
  await expect.poll(() => images.count()).toBe(2)
  expect(await give(page, 'drop', {}, ['three'])).toBe(false)
  await expect.poll(() => images.count()).toBe(3)
  await page.getByRole('button', { name: 'Remove image.png' }).nth(1).click()
  await ask(page, 'What are these?')
  await expect
    .poll(() => JSON.stringify(sent.get('plain')?.at(-1)).match(/base64,\w+/g))
    .toEqual([
      `base64,${btoa('one').replaceAll('=', '')}`,
      `base64,${btoa('three').replaceAll('=', '')}`,
    ])
  await expect.poll(() => page.getByRole('log').getByRole('img').count()).toBe(2)
})

test('code with a large file is shown shortened, and copied in full', async () => {
  const page = await open('gpt-4.1-mini')
  const buffer = Buffer.alloc(3000, 'x')
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
  await ask(page, 'What is this?')
  await answers(page).getByText('Hello there').waitFor()
  await page.getByRole('button', { name: 'View code' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.locator('code').innerText()).toMatch(/base64,eHh4[^…]{36}…/)
  await dialog.getByRole('button', { name: 'Copy: curl' }).click()
  await expect.poll(() => clipboard(page)).toContain(buffer.toString('base64'))
})

test('a conversation in another tab is continued, not overwritten', async () => {
  const page = await open('gpt-4.1-mini')
  const other = await page.context().newPage()
  await other.goto('/play?model=gpt-4.1-mini')
  await composer(other).waitFor()
  await ask(page, 'First')
  await answers(other).getByText('Hello there').waitFor()
  await ask(other, 'Second')
  await expect.poll(() => sent.get('plain')?.length).toBe(3)
  await expect.poll(() => answers(page).getByText('Hello there').count()).toBe(2)
})

test('a conversation with files larger than the storage keeps its texts', async () => {
  const page = await open('gpt-4.1-mini')
  // Browsers keep about five million characters.
  await page.evaluate("localStorage.setItem('other', 'x'.repeat(5_100_000))")
  const file = { name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(200_000, 'x') }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('img', { name: 'large.png' }).waitFor()
  await ask(page, 'What is this?')
  await answers(page).getByText('Hello there').waitFor()
  await page.getByRole('button', { name: 'Run again' }).waitFor()
  await page.reload()
  await page.getByText('large.png (not kept)').waitFor()
  await answers(page).getByText('Hello there').waitFor()
})

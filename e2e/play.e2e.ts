import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { CHANNEL_STATUS, channelEndpoints, userEndpoints } from '@tollgate/contract'
import { codeOf } from '../console/src/lib/snippets/code.ts'
import { answerError, answerJson } from '../server/testing/fakes/scripted-upstream.ts'
import { showLanguage } from './look.ts'
import { sessionOf } from './one-world.ts'
import { answers, ask, composer, openPlayWorld } from './play-world.ts'
import { healthyProvider, usageOf } from './provider.ts'
import { chooseAction } from './steps.ts'
import { TEXTS } from './texts.ts'

const DAVE = { username: 'dave', password: 'dave is here' }
const texts = TEXTS.en
const run = promisify(execFile)
/** Characters that shells and languages treat in ways of their own. */
const TEXT = `It's "quoted", \`ticked\` and \\ escaped\n$HOME ${'你好'}`
const HOSTILE =
  '**bold** <script>globalThis.hurt = 1</script> ![x](/api/user/logout) ' +
  '<img src="https://spy.example/a.png"> [site](https://site.example/) [bad](javascript:alert(1))'

const answerOf = (content: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'o3',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: usageOf(10, 0, 2),
})

const healthy = healthyProvider(usageOf(10, 0, 2))

const { world, key, sent, open } = openPlayWorld(
  [
    ['first', 'gpt-4o,gpt-4o-mini', healthy],
    ['second', 'gpt-4o', healthy, -1],
    ['hostile', 'o3', answerJson(answerOf(HOSTILE))],
    ['coder', 'o1', answerJson(answerOf(`\`\`\`\n${'x'.repeat(400)}\n\`\`\``))],
    ['silent', 'gpt-4.1', () => new Promise(() => {})],
    ['failing', 'gpt-4.1-mini', answerError(400, { message: 'No such thing.' })],
  ],
  { prepare: () => world.asRoot(userEndpoints.createUser, { body: DAVE }) },
)
const dave = sessionOf(world, DAVE)

test('an answer streams in, with its receipt and its row in the log', async () => {
  const page = await open('gpt-4o-mini')
  await page.getByRole('button', { name: 'View code' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.locator('code').innerText()).toContain('"content":"Hello"')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await ask(page, 'Hi')
  await answers(page).getByText('Hello there').waitFor()
  const receipt = answers(page).getByText(/^Tokens: \d+ in · \d+ out · /)
  await receipt.waitFor()
  expect(await receipt.innerText()).toMatch(
    / out · \$0\.0\d+ · first · first token [\d.]+\u00a0m?s/,
  )
  await answers(page).getByRole('link', { name: 'Receipt' }).click()
  await page.waitForURL(/\/log\?request_id=\d{10,}/)
  await page.getByRole('row').filter({ hasText: 'gpt-4o-mini' }).first().waitFor()

  // The conversation is kept in the browser, and sent along.
  await page.goBack()
  await answers(page).getByText('Hello there').waitFor()
  await ask(page, 'And now?')
  await expect.poll(() => answers(page).count()).toBe(2)
  await expect
    .poll(() => sent.get('first')?.map(({ role }) => role))
    .toEqual(['user', 'assistant', 'user'])
  // The receipt leads to its own row among those of the model.
  await answers(page).getByRole('link', { name: 'Receipt' }).last().click()
  const rows = page.getByRole('row').filter({ hasText: 'gpt-4o-mini' })
  await expect.poll(() => rows.count()).toBe(1)
  await page.goBack()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
  await page.getByText('Try a model').waitFor()
  await page.reload()
  await page.getByText('Try a model').waitFor()
})

test('a message is edited and run again, and settings go along', async () => {
  const page = await open('gpt-4o')
  await page.getByLabel('System prompt').fill('Be brief.')
  await page.getByLabel('Temperature').fill('3')
  await page.getByText('Enter a number from 0 to 2.').waitFor()
  await composer(page).fill('One')
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  await page.getByLabel('Temperature').fill('0.5')
  await ask(page, 'One')
  await answers(page).getByText('Hello there').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Edit message' }).fill('Two')
  await page.getByRole('log').getByRole('button', { name: 'Send' }).click()
  await expect
    .poll(() => sent.get('first'))
    .toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Two' },
    ])
  expect(await answers(page).count()).toBe(1)

  await page.getByRole('button', { name: 'View code' }).click()
  const dialog = page.getByRole('dialog')
  for (const form of ['curl', 'Python', 'Node.js', 'Go', 'JSON']) {
    await dialog.getByRole('button', { name: form, exact: true }).click()
    expect(await dialog.locator('code').innerText(), form).toContain('Be brief.')
  }
})

test('a request is stopped, and one that is refused says why', async () => {
  const page = await open('gpt-4.1')
  await ask(page, 'Anybody?')
  await page.getByText('Waiting for the first token').waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByText('Stopped.').waitFor()
  await page.getByRole('combobox', { name: 'Model' }).fill('gpt-4.1-mini')
  await page.getByRole('option', { name: 'gpt-4.1-mini' }).click()
  await ask(page, 'And you?')
  await page.getByRole('alert').filter({ hasText: 'No such thing.' }).waitFor()
})

test('Markdown of a model is shown, and nothing of it runs or loads', async () => {
  const page = await open('o3', { isStreamed: false })
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  await ask(page, 'Hurt me')
  await answers(page).locator('strong', { hasText: 'bold' }).waitFor()
  const link = answers(page).getByRole('link', { name: 'site' })
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
  expect(await answers(page).locator('img').count()).toBe(0)
  expect(await page.content()).not.toContain('javascript:')
  expect(await page.evaluate('globalThis.hurt')).toBeUndefined()
  expect(loaded.filter((url) => /spy|logout/.test(url))).toEqual([])
})

test('long code of an answer scrolls, and leaves a phone its width', async () => {
  const page = await open('o1', { isPhone: true })
  await page.locator('summary', { hasText: 'Settings' }).click()
  await page.getByRole('switch', { name: 'Stream the answer' }).uncheck()
  await ask(page, 'Write code')
  await answers(page).locator('pre').waitFor()
  const ends = await page.evaluate<number[]>(
    `[...document.querySelectorAll('main :is(textarea, article, input)')]
      .map((part) => Math.round(part.getBoundingClientRect().right))`,
  )
  expect(Math.max(...ends)).toBeLessThanOrEqual(390)
})

test('two models answer side by side, and an administrator names the channel', async () => {
  // The picker finds channels that serve the model among many that do not.
  const key = Array.from({ length: 101 }, (_, index) => `sk-${index}`).join('\n')
  const status = CHANNEL_STATUS.disabled
  const others = { type: 1, name: 'other', key, models: 'gpt-3.5-turbo', status }
  await world.asRoot(channelEndpoints.createChannels, { body: others })
  const page = await open('gpt-4o-mini')
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('combobox', { name: 'Model B' }).fill('gpt-4o')
  await page.getByRole('option', { name: 'gpt-4o', exact: true }).click()
  await page.getByRole('combobox', { name: 'Channel B' }).click()
  await page.getByRole('option', { name: 'second' }).click()
  await ask(page, 'Who is better?')
  await expect.poll(() => answers(page).getByText('Hello there').count()).toBe(2)
  await answers(page).nth(1).getByText(' · second · ').waitFor()
  expect(sent.get('second')).toEqual([{ role: 'user', content: 'Who is better?' }])
})

test('images go along, and calls of tools are answered', async () => {
  const page = await open('gpt-4o')
  const image = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from('89504e47', 'hex') }
  await page.locator('input[type=file]').setInputFiles(image)
  await page.getByRole('img', { name: 'dot.png' }).waitFor()
  await page.getByRole('textbox', { name: 'Tools' }).fill('[{"type":')
  await page.getByText('Enter a JSON list of objects.').waitFor()
  const tool = { type: 'function', function: { name: 'get_weather', parameters: {} } }
  await page.getByRole('textbox', { name: 'Tools' }).fill(JSON.stringify([tool]))
  await page.getByRole('switch', { name: 'Stream the answer' }).uncheck()
  await ask(page, 'What is this, and the weather?')
  await page.getByText('Call to get_weather').waitFor()
  expect(sent.get('first')).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
        { type: 'text', text: 'What is this, and the weather?' },
      ],
    },
  ])
  await page.getByRole('textbox', { name: 'Result of get_weather' }).fill('rain')
  await page.getByRole('button', { name: 'Send results' }).click()
  await expect
    .poll(() => sent.get('first')?.at(-1))
    .toMatchObject({ role: 'tool', content: 'rain' })
})

test('a customer creates a token in place, and sees no channels', async () => {
  const page = await world.open({ session: dave })
  await page.goto('/token')
  await chooseAction(page, texts, 'default', texts.delete)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Delete/ })
    .click()
  await page.getByText('No tokens yet').waitFor()
  await page.goto('/play')
  await page.getByRole('button', { name: 'Create a token' }).click()
  await composer(page).waitFor()
  expect(await page.getByRole('combobox', { name: 'Channel' }).count()).toBe(0)
  await ask(page, 'Hi')
  // The new account has no balance.
  await page.getByRole('log').getByRole('alert').filter({ hasText: 'not enough quota.' }).waitFor()
  await page.getByRole('log').getByRole('link', { name: 'Top up', exact: true }).waitFor()
  await page.getByRole('alert').getByRole('link', { name: 'Top up now' }).waitFor()
})

test('the reason of a failure is in the language of the reader', async () => {
  const page = await open('gpt-4o-mini')
  await showLanguage(page, 'zh')
  const askInChinese = (text: string) => page.getByRole('textbox', { name: '消息' }).fill(text)
  const failures = page.getByRole('log').getByRole('alert')
  await page.route('**/v1/chat/completions', (route) => route.abort())
  await askInChinese('有人吗？')
  await page.keyboard.press('Enter')
  await failures.filter({ hasText: '请求失败：无法连接服务器。' }).waitFor()

  const error = { message: 'No channel is available.', code: 'no_available_channel' }
  await page.route('**/v1/chat/completions', (route) =>
    route.fulfill({ status: 503, json: { error } }),
  )
  await askInChinese('现在呢？')
  await page.keyboard.press('Enter')
  const second = failures.filter({ hasText: '请求失败：没有可用渠道。' })
  await second.getByText(error.message).waitFor()
})

const request = (stream: boolean) => ({
  address: world.server.url,
  key: key(),
  path: '/v1/chat/completions',
  body: { model: 'gpt-4o', messages: [{ role: 'user', content: TEXT }], stream },
})

test('the curl command passes the request through a shell unchanged', async () => {
  const script = `curl() { printf '%s\\0' "$@"; }\n${codeOf('curl', request(false))}`
  const { stdout } = await run('sh', ['-c', script])
  const [address = '', ...options] = stdout.split('\0').slice(0, -1)
  const values = options.filter((_, index) => index % 2 === 1)
  const headers = values.slice(0, 2).map((line): [string, string] => {
    const [name = '', value = ''] = line.split(': ')
    return [name, value]
  })
  const answer = await fetch(address, { method: 'POST', headers, body: values.at(-1) ?? '' })
  expect(await answer.text()).toContain('Hello there')
  expect(sent.get('first')).toEqual([{ role: 'user', content: TEXT }])
})

test.each([false, true])('the Node.js code runs, with stream: %s', async (stream) => {
  const code = codeOf('node', request(stream))
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code])
  expect(stdout.match(/'chat\.completion(?:\.chunk)?'/g)).toHaveLength(stream ? 3 : 1)
  expect(sent.get('first')).toEqual([{ role: 'user', content: TEXT }])
})

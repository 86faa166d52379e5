import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { channelEndpoints, tokenEndpoints } from '@tollgate/contract'
import { codeOf } from '../console/src/lib/snippets/code.ts'
import { openOneWorld } from './one-world.ts'
import { healthyProvider, usageOf } from './provider.ts'

const run = promisify(execFile)

/** Characters that shells and languages treat in ways of their own. */
const TEXT = `It's "quoted", \`ticked\` and \\ escaped\n$HOME ${'你好'}`

const sentMessage = z.object({ messages: z.tuple([z.object({ content: z.string() })]) })

let key: string
/** What the provider was asked last. */
let asked = ''

const world = openOneWorld(async () => {
  const answer = healthyProvider(usageOf(10, 0, 2))
  world.upstream.script('openai', (response, call) => {
    asked = sentMessage.parse(JSON.parse(call.body.toString())).messages[0].content
    return answer(response, call)
  })
  const base_url = world.upstream.baseUrl('openai')
  const channel = { type: 8, name: 'openai', key: 'sk-up', models: 'gpt-4o', base_url }
  await world.asRoot(channelEndpoints.createChannels, { body: channel })
  const body = { name: 'code', unlimited_quota: true }
  key = `sk-${(await world.asRoot(tokenEndpoints.createToken, { body })).data.key}`
})

const request = (stream: boolean) => ({
  address: world.server.url,
  key,
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
  expect(asked).toBe(TEXT)
})

test.each([false, true])('the Node.js code runs, with stream: %s', async (stream) => {
  const code = codeOf('node', request(stream))
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code])
  expect(stdout.match(/'chat\.completion(?:\.chunk)?'/g)).toHaveLength(stream ? 3 : 1)
  expect(asked).toBe(TEXT)
})

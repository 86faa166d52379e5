import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FileFaults } from './fault.ts'
import { jsonSchema } from './file-schema.ts'
import { readConfigFile } from './read-file.ts'

const DEPLOY = fileURLToPath(new URL('../../../../deploy/', import.meta.url))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-config-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Faults without the name of the file. */
function faultsOf(text: string): string[] {
  const file = path.join(folder, 'tollgate.yaml')
  writeFileSync(file, text)
  try {
    readConfigFile(file)
    return []
  } catch (error) {
    if (!(error instanceof FileFaults)) throw error
    return error.lines.map((line) => line.replace(`${file}:`, ''))
  }
}

test('every fault is reported at its place, with what is allowed', () => {
  expect(
    faultsOf(`version: 1
lockd: true
groups:
  default: { ratio: -1 }
  vip: { rtio: 2 }
prices:
  a: { input: 1 }
  b: { input: 0, output: 3 }
  c: { per_call: 2, output: 1 }
options:
  RetryTimes: 99
  RetyTimes: 3
  GroupRatio: {}
  SMTPToken: swordfish
  AlertFeishuAddress: hook
  AlertWebhookAddress: env:HOOK
channels:
  - name: one
    type: openai
    key: sk-123
    models: [a]
    priorty: 3
`),
  ).toEqual([
    '2:1: lockd: is unknown; did you mean "locked"?',
    '4:14: groups.default.ratio: must be at least 0',
    '5:10: groups.vip.rtio: is unknown; did you mean "ratio"?',
    '7:3: prices.a.output: it is missing',
    '8:8: prices.b.input: must be above 0 if another part has a price',
    '9:21: prices.c.output: does not fit the other members',
    '11:3: options.RetryTimes: must be at most 10',
    '12:3: options.RetyTimes: is unknown; did you mean "RetryTimes"?',
    '13:3: options.GroupRatio: is written under "groups"',
    '14:3: options.SMTPToken: must be a reference such as env:OPENAI_KEY or file:/run/secrets/openai',
    '15:3: options.AlertFeishuAddress: must be an address that begins with http:// or https://',
    '20:5: channels[0].key: must be a reference such as env:OPENAI_KEY or file:/run/secrets/openai',
    '22:5: channels[0].priorty: is unknown; did you mean "priority"?',
  ])
})

test('rules between members are checked without the installation', () => {
  const channel = (name: string, rest: string) => `  - { name: ${name}, models: [a], ${rest} }\n`
  const channels = [
    channel('one', 'type: opnai, key: env:A'),
    channel('one', 'type: custom-channel, key: env:A, keys: [env:B]'),
    channel('two', 'type: openai, config: { headers: { Authorization: x } }'),
    channel('three', 'type: 99999, key: env:A'),
    channel('four', 'type: openai, key: env:A, config: { proxy: "ftp://x" }'),
    channel('five', 'type: openai, key: env:A, config: { proxy: env:PROXY }'),
  ]
  expect(faultsOf(`version: 1\nchannels:\n${channels.join('')}`)).toEqual([
    '3:31: channels[0].type: is unknown; did you mean "openai"?',
    '4:7: channels[1].name: is the name of another channel: "one"',
    '4:31: channels[1].type: The field "base_url" must not be empty: channels of this type need an address.',
    '4:53: channels[1].key: must not come with keys',
    '5:5: channels[2].key: it is missing; write key or keys',
    '5:66: channels[2].config.headers.Authorization: is a header that the gateway sets itself',
    expect.stringMatching(/^6:33: channels\[3\]\.type: .*99999/),
    expect.stringMatching(/^7:58: channels\[4\]\.config: must have as "proxy" an address/),
  ])
})

test('a file that is no YAML, and names that YAML repeats, are faults', () => {
  expect(faultsOf('version: 1\ngroups: [')).toEqual([expect.stringMatching(/^2:/)])
  expect(faultsOf('version: 1\nlimits: {}\nlimits: {}\n')).toEqual([
    expect.stringContaining('Map keys must be unique'),
  ])
  expect(() => readConfigFile(path.join(folder, 'none.yaml'))).toThrow('cannot be read')
})

test('the example is valid, and the schema for editors is the one of the code', () => {
  expect(readConfigFile(path.join(DEPLOY, 'tollgate.yaml')).file.channels).toHaveLength(3)
  const written: unknown = JSON.parse(
    readFileSync(path.join(DEPLOY, 'tollgate.schema.json'), 'utf8'),
  )
  expect(written).toEqual(JSON.parse(JSON.stringify(jsonSchema())))
})

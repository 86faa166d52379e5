import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isRecord, type JsonRecord, member, parseJson } from '../src/bytes/json-value.ts'
import { finish } from '../src/bytes/steps.ts'
import { countPrompt } from '../src/count-tokens.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import type { ClientDialect } from '../src/wires/client-dialect.ts'
import { requestOf } from './client-request.ts'
import { DIALECT_FIXTURES, dialectOf } from './dialect-pairs.ts'
import { fixturesIn } from './fixture-pairs.ts'
import { readTapes, wireAt } from './tapes.ts'

/*
 * The number of prompt tokens of every sample. Customers pay by it where a provider reports none,
 * so that no change of how requests are read may change it.
 */

const EXPECTED = path.join(import.meta.dirname, 'counted-prompts.expected.json')

type Sample = { readonly name: string; readonly dialect: ClientDialect; readonly sent: JsonRecord }

const fixtures = Object.entries(DIALECT_FIXTURES).flatMap(([dialect, folder]) => {
  const about = parseJson(readFileSync(path.join(folder, 'about.json'), 'utf8'))
  return fixturesIn(folder, 'requests').flatMap(({ name, bytes }): Sample[] =>
    [parseJson(bytes.toString())]
      .flat()
      .filter(isRecord)
      .map((given, at) => {
        const sent = { path: member(about, 'path'), ...given }
        const label = `${dialect}/${name} ${at + 1}`
        return { name: label, dialect: dialectOf(dialect, requestOf(sent).path ?? ''), sent }
      }),
  )
})

const recorded = readTapes().flatMap(({ agent, double, requests }) =>
  requests.map((sent, at): Sample => ({
    name: `${agent} ${double} ${at + 1}`,
    dialect: wireAt(sent.path).dialect,
    sent,
  })),
)

async function count({ dialect, sent }: Sample): Promise<number | string> {
  const { path: requestPath = '', body } = requestOf(sent)
  const endpoint = requestPath.includes('embeddings') ? 'embeddings' : 'chat'
  const bytes = Buffer.from(JSON.stringify(body))
  const read = finish(dialect.readRequest(endpoint, bytes, {}))
  return isRequestProblem(read) ? 'refused' : countPrompt(read)
}

test('prompts have as many tokens as ever', async () => {
  const counted: Record<string, number | string> = {}
  for (const sample of [...fixtures, ...recorded]) counted[sample.name] = await count(sample)
  if (process.env['UPDATE_FIXTURES'] !== undefined || !existsSync(EXPECTED)) {
    writeFileSync(EXPECTED, `${JSON.stringify(counted, null, 2)}\n`)
  }
  expect(counted).toEqual(parseJson(readFileSync(EXPECTED, 'utf8')))
})

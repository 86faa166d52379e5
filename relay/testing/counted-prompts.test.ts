import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isRecord, type JsonRecord, parseJson } from '../src/bytes/json-value.ts'
import { finish } from '../src/bytes/steps.ts'
import { countPrompt } from '../src/count-tokens.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { requestOf } from './client-request.ts'
import { DIALECT_FIXTURES, dialectOf } from './dialect-pairs.ts'
import { fixturesIn } from './fixture-pairs.ts'
import { readTapes } from './tapes.ts'

/*
 * The number of prompt tokens of every sample. Customers pay by it where a provider reports none,
 * so that no change of how requests are read may change it.
 */

const EXPECTED = path.join(import.meta.dirname, 'counted-prompts.expected.json')

type Sample = { readonly name: string; readonly dialect: string; readonly sent: JsonRecord }

const fixtures = Object.entries(DIALECT_FIXTURES).flatMap(([dialect, folder]) => {
  const about = parseJson(readFileSync(path.join(folder, 'about.json'), 'utf8'))
  return fixturesIn(folder, 'requests').flatMap(({ name, bytes }): Sample[] =>
    [parseJson(bytes.toString())]
      .flat()
      .filter(isRecord)
      .map((given, at) => ({
        name: `${dialect}/${name} ${at + 1}`,
        dialect,
        sent: { ...(isRecord(about) ? { path: about['path'] } : {}), ...given },
      })),
  )
})

const PATHS: readonly (readonly [RegExp, string])[] = [
  [/v1beta/, 'gemini'],
  [/messages/, 'anthropic'],
  [/responses/, 'responses'],
]

const recorded = readTapes().flatMap(({ agent, double, requests }) =>
  requests.map((sent, at): Sample => ({
    name: `${agent} ${double} ${at + 1}`,
    dialect: PATHS.find(([pattern]) => pattern.test(sent.path))?.[1] ?? 'openai',
    sent,
  })),
)

async function count({ dialect, sent }: Sample): Promise<number | string> {
  const { path: requestPath = '', body } = requestOf(sent)
  const endpoint = requestPath.includes('embeddings') ? 'embeddings' : 'chat'
  const bytes = Buffer.from(JSON.stringify(body))
  const read = finish(dialectOf(dialect, requestPath).readRequest(endpoint, bytes, {}))
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

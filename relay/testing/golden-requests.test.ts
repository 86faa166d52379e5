import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { formatJson } from './format-json.ts'
import { GOLDEN_FOLDER, goldenRequests, tapesByAgent } from './golden-requests.ts'

test.each([...tapesByAgent()])('requests of %s reach other wires as ever', (agent, tapes) => {
  const file = path.join(GOLDEN_FOLDER, `${agent}.json`)
  const sent = formatJson(JSON.parse(JSON.stringify(goldenRequests(tapes))))
  if (process.env['UPDATE_FIXTURES'] === '1') writeFileSync(file, sent)
  expect(sent).toBe(readFileSync(file, 'utf8'))
})

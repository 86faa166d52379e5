import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { cardOverride } from './card-override.ts'

const PAGE = new URL('../../docs/operate/channels.md', import.meta.url)

const sectionsSchema = z.object({
  properties: z.record(z.string(), z.object({ properties: z.record(z.string(), z.unknown()) })),
})

test('the page for operators names every member of a card', () => {
  const { properties } = sectionsSchema.parse(z.toJSONSchema(cardOverride, { io: 'input' }))
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  for (const [section, { properties: members }] of Object.entries(properties)) {
    const row = lines.find((line) => line.startsWith(`| \`${section}\` |`))
    const missing = Object.keys(members).filter((name) => row?.includes(`\`${name}\``) !== true)
    expect({ section, missing }).toEqual({ section, missing: [] })
  }
})

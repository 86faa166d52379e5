import { readdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, vi } from 'vitest'
import * as contract from '@tollgate/contract'
import { catalogue } from '@tollgate/relay'

type Pair = { en: string; zh: string }
type Leaf = string | RegExp

const CONSOLE = path.join(import.meta.dirname, '../console/src')
const PLACEHOLDER = /\{\{.*?\}\}|\{\w+\}/

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function collect(source: unknown, into: Pair[], seen = new Set<unknown>()) {
  if (!isRecord(source) || seen.has(source)) return
  seen.add(source)
  if ('en' in source && 'zh' in source) pairUp(source['en'], source['zh'], into)
  for (const part of Object.values(source)) collect(part, into, seen)
}

function pairUp(en: unknown, zh: unknown, into: Pair[]) {
  if (typeof en === 'string' && typeof zh === 'string') into.push({ en, zh })
  if (!isRecord(en) || !isRecord(zh)) return
  for (const name of Object.keys(en)) pairUp(en[name], zh[name], into)
}

/** Every text of the console and of the contract, and the names of channel types. */
async function readPairs(): Promise<Pair[]> {
  const pairs: Pair[] = []
  vi.doMock('../console/src/i18n/texts.ts', () => ({
    addTexts: (_name: string, texts: unknown) => collect(texts, pairs),
  }))
  const names = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  for (const name of names.filter((file) => file.endsWith('messages.ts'))) {
    collect(await import(pathToFileURL(path.join(CONSOLE, name)).href), pairs)
  }
  vi.doUnmock('../console/src/i18n/texts.ts')
  collect(contract, pairs)
  collect(catalogue, pairs)
  return pairs
}

const escaped = (part: string) => part.replaceAll(/[\^$\\.*+?()[\]{}|]/g, String.raw`\$&`)

/** The expected text is the text with values for its placeholders, or a part of it. */
function isOf(expected: Leaf, text: string): boolean {
  const parts = text.replaceAll('\u00A0', ' ').split(PLACEHOLDER)
  if (!/\p{L}/u.test(parts.join(''))) return false
  if (typeof expected !== 'string') return expected.test(text) || holdsAll(expected.source, parts)
  return text.includes(expected) || new RegExp(`^${parts.map(escaped).join('.+')}$`).test(expected)
}

function holdsAll(pattern: string, parts: readonly string[]): boolean {
  const wanted = pattern.replaceAll('\\', '')
  let at = 0
  for (const part of parts) {
    if (at !== -1) at = wanted.indexOf(part, at)
  }
  return at !== -1
}

function leavesOf(en: unknown, zh: unknown): { en: Leaf; zh: Leaf }[] {
  if (typeof en === 'function' && typeof zh === 'function') {
    const args = Array.from({ length: en.length }, () => 7)
    return leavesOf(Reflect.apply(en, undefined, args), Reflect.apply(zh, undefined, args))
  }
  const isLeaf = (value: unknown) => typeof value === 'string' || value instanceof RegExp
  if (isLeaf(en) && isLeaf(zh)) return [{ en, zh }]
  if (!isRecord(en) || !isRecord(zh)) throw new TypeError('the languages differ in their shape')
  return Object.keys(en).flatMap((name) => leavesOf(en[name], zh[name]))
}

let pairs: Promise<Pair[]> | undefined

/**
 * Expects that each Chinese text of a table of expected texts is the translation of the English
 * one: some message has both. A test in English then proves the Chinese text as well, because a
 * page chooses the message and the console the language. English texts that are put together from
 * several messages stand in `besides`; the tests that look for them run in both languages.
 */
export async function expectTranslated(
  table: { en: unknown; zh: unknown },
  besides: readonly string[] = [],
) {
  const all = await (pairs ??= readPairs())
  const alone = leavesOf(table.en, table.zh).filter(
    ({ en, zh }) =>
      String(en) !== String(zh) && !all.some((pair) => isOf(en, pair.en) && isOf(zh, pair.zh)),
  )
  expect(alone.map(({ en }) => String(en))).toEqual(besides)
}

import { z } from 'zod'
import { type OptionKey, OPTIONS, optionText, sectionsOf } from '@tollgate/contract'

/** Everything after it is generated. */
const MARK =
  '<!-- `npm run docs:options` writes the rest from the option tables in contract/src. -->'

const TABS = [
  ['operation', 'Operation settings'],
  ['system', 'System settings'],
  ['other', 'Other settings'],
] as const

/** The page docs/reference/options.md: its handwritten beginning, and every option. */
export function optionsPage(page: string): string {
  const tabs = TABS.map(([tab, name]) => {
    const sections = sectionsOf(tab).map(
      ({ title, hint, options }) =>
        `### ${title.en}\n\n${hint === undefined ? '' : `${wrapped(hint.en)}\n\n`}` +
        `| Option | Values | Default | Meaning |\n|---|---|---|---|\n${options.map(lineOf).join('')}`,
    )
    return `## ${name}\n\n${sections.join('\n')}`
  })
  return `${page.slice(0, page.indexOf(MARK))}${MARK}\n\n${tabs.join('\n')}`
}

function lineOf(key: OptionKey): string {
  const { label, hint, default: fallback } = OPTIONS[key]
  const text = optionText(fallback)
  const meaning = hint === undefined ? label.en : `${label.en}. ${hint.en}`
  return `| \`${key}\` | ${valuesOf(key)} | ${text === '' ? 'empty' : `\`${text}\``} | ${meaning} |\n`
}

function valuesOf(key: OptionKey): string {
  const { schema, secret } = OPTIONS[key]
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  if (secret) return 'secret'
  if (json.anyOf !== undefined) return 'number or empty'
  if (json.enum !== undefined) return json.enum.join(', ')
  if (json.maximum !== undefined) return `${json.minimum} to ${json.maximum.toLocaleString('en')}`
  return { boolean: 'switch', string: 'text' }[String(json.type)] ?? 'JSON'
}

const WIDTH = 100

function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join('\n')
}

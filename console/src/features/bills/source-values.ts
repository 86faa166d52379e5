import { z } from 'zod'
import { BILL_KINDS, type BillSource, billSourceDraft } from '@tollgate/contract'
import type { SourceDraft } from './queries.ts'

const number = (min: number, max: number) => (text: string) => {
  const value = Number(text)
  return text.trim() !== '' && value >= min && value <= max
}

const isPairs = (text: string) =>
  text.split('\n').every((line) => line.trim() === '' || /^[^=]+=\s*\S/.test(line.trim()))

/** Numbers and tables are texts while they are typed. */
const fields = z.object({
  name: z.string().refine((text) => text.trim().length > 0 && text.trim().length <= 60, {
    error: 'bill.form.nameError',
  }),
  kind: z.enum(BILL_KINDS),
  url: z.string(),
  account: z.string(),
  key: z.string(),
  channels: z.array(z.string()).min(1, { error: 'bill.form.channelsError' }),
  currency: z.string().regex(/^[A-Z]{3}$/, { error: 'bill.form.currencyError' }),
  rate: z.string().refine(number(1e-9, 1e9), { error: 'bill.form.rateError' }),
  zone: z.string(),
  aliases: z.string().refine(isPairs, { error: 'bill.form.pairsError' }),
  keys: z.string().refine(isPairs, { error: 'bill.form.pairsError' }),
  every_hours: z.string().refine(number(0, 720), { error: 'bill.form.hoursError' }),
  alert_percent: z.string().refine(number(1, 1000), { error: 'bill.form.percentError' }),
})

export type SourceValues = z.output<typeof fields>

export const sourceForm = fields
  .refine((values) => hasValid(values, 'url'), { path: ['url'], error: 'bill.form.urlError' })
  .refine((values) => hasValid(values, 'rate'), { path: ['rate'], error: 'bill.form.rateError' })
  .refine((values) => hasValid(values, 'zone'), { path: ['zone'], error: 'bill.form.zoneError' })
  .refine((values) => hasValid(values, 'keys'), { path: ['keys'], error: 'bill.form.keysError' })

/** The contract's own schema decides about fields whose rules are long. */
function hasValid(values: SourceValues, field: keyof SourceDraft): boolean {
  if (field === 'url' && values.kind === 'gateway' && values.url.trim() === '') return false
  const { error } = billSourceDraft.safeParse(draftOf(values))
  return error?.issues.every(({ path }) => path[0] !== field) ?? true
}

const NEW_SOURCE: SourceValues = {
  name: '',
  kind: 'csv',
  url: '',
  account: '',
  key: '',
  channels: [],
  currency: 'USD',
  rate: '1',
  zone: 'UTC',
  aliases: '',
  keys: '',
  every_hours: '0',
  alert_percent: '2',
}

const pairsText = (table: Readonly<Record<string, string>>) =>
  Object.entries(table)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')

function pairsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.includes('='))
  return Object.fromEntries(
    lines.map((line) => {
      const equals = line.lastIndexOf('=')
      return [line.slice(0, equals).trim(), line.slice(equals + 1).trim()]
    }),
  )
}

export function valuesOf(source: BillSource | null): SourceValues {
  if (source === null) return NEW_SOURCE
  const { name, kind, url, account, currency, rate, zone } = source
  return {
    name,
    kind,
    url,
    account,
    currency,
    rate,
    zone,
    key: '',
    channels: source.channels.map(String),
    aliases: pairsText(source.aliases),
    keys: pairsText(source.keys),
    every_hours: String(source.every_hours),
    alert_percent: String(source.alert_percent),
  }
}

export const draftOf = (values: SourceValues): SourceDraft => ({
  ...values,
  url: values.kind === 'csv' ? '' : values.url.trim(),
  channels: values.channels.map(Number),
  aliases: pairsOf(values.aliases),
  keys: pairsOf(values.keys),
  every_hours: Math.floor(Number(values.every_hours)),
  alert_percent: Math.floor(Number(values.alert_percent)),
})

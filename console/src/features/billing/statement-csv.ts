import { type CreditKind, receiptDigits, type Statement } from '@tollgate/contract'
import { type CsvCell, csvOf } from '../../lib/csv.ts'
import { unlistedCredits } from './sums.ts'

export type StatementTexts = {
  /** Columns, in their order. */
  head: readonly string[]
  opening: string
  usage: string
  credit: string
  kind: (kind: CreditKind) => string
  unlisted: (count: number) => string
}

type Wording = { texts: StatementTexts; quotaPerUnit: number; timeOf: (seconds: number) => string }

/** The opening balance and every movement, so that the amounts add up to the closing balance. */
export function statementCsv(statement: Statement, { texts, quotaPerUnit, timeOf }: Wording) {
  const digits = receiptDigits(quotaPerUnit)
  const amounts = (quota: number) => [(quota / quotaPerUnit).toFixed(digits), quota]
  const noUsage = ['', '', '']
  const unlisted = unlistedCredits(statement)
  const lines: CsvCell[][] = [
    [...texts.head],
    [timeOf(statement.start), texts.opening, '', ...noUsage, ...amounts(statement.opening)],
    ...(unlisted.count === 0
      ? []
      : [
          [
            '',
            texts.credit,
            texts.unlisted(unlisted.count),
            ...noUsage,
            ...amounts(unlisted.amount),
          ],
        ]),
    ...statement.credits.toReversed().map(({ created_at, kind, amount, note }) => {
      const description = [texts.kind(kind), note].filter(Boolean).join(': ')
      return [timeOf(created_at), texts.credit, description, ...noUsage, ...amounts(amount)]
    }),
    ...statement.usage.map((row) => [
      row.day,
      texts.usage,
      row.model_name,
      row.requests,
      row.prompt_tokens,
      row.completion_tokens,
      ...amounts(-row.quota),
    ]),
  ]
  return csvOf(lines)
}

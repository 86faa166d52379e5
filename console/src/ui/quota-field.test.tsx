import { MantineProvider } from '@mantine/core'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { QuotaField } from './quota-field.tsx'

const firstValue = (value: number, quotaPerUnit: number) => {
  const money = { quotaPerUnit, inCurrency: true }
  const html = renderToStaticMarkup(
    <MantineProvider>
      <QuotaField label="Quota" value={value} onChange={() => {}} money={money} />
    </MantineProvider>,
  )
  return / value="([^"]*)"/.exec(html)?.[1]
}

test('a field has its value from the first frame, down to a single unit', () => {
  expect(firstValue(617_500, 500_000)).toBe('$1.235')
  expect(firstValue(1, 500_000)).toBe('$0.000002')
  expect(firstValue(3, 1_000_000_000)).toBe('$0.000000003')
})

import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Sparkline } from './sparkline.tsx'

test('has a fixed size, and a text for screen readers', () => {
  for (const values of [[], [null, null], [0, 0], [1, null, 1e12]]) {
    const markup = renderToStaticMarkup(<Sparkline values={values} label="Success, 24 hours" />)
    expect(markup).toMatch(/width="64" height="16"/)
    expect(markup).toContain('<title>Success, 24 hours</title>')
    expect(markup).not.toMatch(/NaN|Infinity/)
  }
})

test('the maximum touches the top and zero the bottom', () => {
  expect(renderToStaticMarkup(<Sparkline values={[0, 5]} label="" />)).toContain('M2 14L62 2')
})

test('hours without a value are spanned, and one value alone draws nothing', () => {
  const drawn = (values: (number | null)[]) =>
    renderToStaticMarkup(<Sparkline values={values} label="" />).match(/ d="M2 .*?"/)?.[0]
  expect(drawn([5, null, 5])).toBe(' d="M2 2L62 2"')
  expect(drawn([5, null, null])).toBeUndefined()
})

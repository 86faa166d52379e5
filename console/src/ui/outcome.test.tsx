import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { showLanguage } from '../i18n/texts.ts'
import { Outcome } from './outcome.tsx'

const RATIOS = 'model ratio 1, completion ratio 4, group ratio 1'

test('a result is shown with its reason in words, not with the ratios of its charge', () => {
  const broken = { content: RATIOS, end_reason: 'broken_stream' }
  const cutOff = renderToStaticMarkup(<Outcome log={broken} result="cut_off" notes={['', 'x']} />)
  expect(cutOff).toContain('cut off')
  expect(cutOff).toContain('>the stream broke off · x<')
  const unserved = { content: '', end_reason: 'no_channel' }
  expect(renderToStaticMarkup(<Outcome log={unserved} result="failed" />)).toContain(
    '>no channel serves this model<',
  )
  const finished = { content: RATIOS, end_reason: 'finished' }
  expect(renderToStaticMarkup(<Outcome log={finished} result="answered" />)).not.toContain('ratio')
  showLanguage('zh')
  expect(renderToStaticMarkup(<Outcome log={broken} result="cut_off" />)).toContain('流式响应中断')
  showLanguage('en')
})

import { expect, test } from 'vitest'
import { answerHtml } from './answer-markdown.ts'

const line = (html: string) => `<p>${html}</p>\n`

test.each([
  ['A List<String> of `Map<K, V>`', 'A List&lt;String&gt; of <code>Map&lt;K, V&gt;</code>'],
  ['Bearer <your-api-key>', 'Bearer &lt;your-api-key&gt;'],
  ['<b>bold</b><br>H<sub>2</sub>O', '<b>bold</b><br>H<sub>2</sub>O'],
  ['<base href="x">', '&lt;base href=&quot;x&quot;&gt;'],
])('tags that are no formatting stay as text: %s', (source, html) => {
  expect(answerHtml(source)).toBe(line(html))
})

test('lines of unknown tags are shown, and Markdown goes on between them', () => {
  const html = answerHtml('<result>\n**done**\n</result>')
  expect(html).toContain('&lt;result&gt;')
  expect(html).toContain('<strong>done</strong>')
  expect(html).toContain('&lt;/result&gt;')
})

test.each([
  [String.raw`Then \(a_1 * b_1\) and \(c\).`, String.raw`\(a_1 * b_1\)`],
  [String.raw`So $\{x\} \in A^*$ and $B^*$.`, String.raw`$\{x\} \in A^*$`],
  [String.raw`A matrix $$\begin{matrix} a \\ b \end{matrix}$$ here`, String.raw`\end{matrix}$$`],
])('a formula keeps its source: %s', (source, formula) => {
  expect(answerHtml(source)).toContain(formula)
  expect(answerHtml(source)).not.toContain('<em>')
})

test('a formula on its own lines keeps its source and its lines', () => {
  const source = String.raw`\[
x = \frac{a}{b} \\
y
\]`
  expect(answerHtml(`It is\n${source}\nthen.`)).toBe(
    `${line('It is')}<pre><code>${source}\n</code></pre>\n${line('then.')}`,
  )
})

test('prices are no formulas', () => {
  expect(answerHtml('From $5 to *$10*, or US$5=HK$39')).toBe(
    line('From $5 to <em>$10</em>, or US$5=HK$39'),
  )
})

test.each([
  ['**注意：**内容', '<strong>注意：</strong>内容'],
  ['这是**“重点”**内容', '这是<strong>“重点”</strong>内容'],
  ['含**`code`（一）**的', '含<strong><code>code</code>（一）</strong>的'],
  ['中文`a**`b**中', '中文<code>a**</code>b**中'],
  ['2**(3)**4', '2**(3)**4'],
])('bold text needs no space in Chinese: %s', (source, html) => {
  expect(answerHtml(source)).toBe(line(html))
})

test.each([
  ['见 https://site.example/a，然后', 'https://site.example/a', '，然后'],
  ['见 https://site.example/a（说明）。', 'https://site.example/a', '（说明）。'],
  ['see https://site.example/a, then', 'https://site.example/a', ', then'],
])('an address ends before Chinese punctuation: %s', (source, address, rest) => {
  expect(answerHtml(source)).toContain(`<a href="${address}">${address}</a>${rest}`)
})

test('an address may contain Chinese characters', () => {
  expect(answerHtml('https://site.example/中文')).toContain('>https://site.example/中文</a>')
})

test('ranges are not struck through', () => {
  expect(answerHtml('1~2 or 3~4, not ~~5~~')).toBe(line('1~2 or 3~4, not <del>5</del>'))
})

test('single newlines and the boxes of a list are shown', () => {
  expect(answerHtml('Main Street 1\nBasel')).toBe(line('Main Street 1<br>Basel'))
  const list = answerHtml('- [x] built\n- [ ] tested')
  expect(list).toMatch(/☑ built[^☐]+☐ tested/)
})

test('an image is a link', () => {
  expect(answerHtml('![a <cat>](https://site.example/cat.png)')).toBe(
    line('<a href="https://site.example/cat.png">a &lt;cat&gt;</a>'),
  )
})

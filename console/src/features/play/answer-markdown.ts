import { Marked, Tokenizer, type TokenizerAndRendererExtension, type Tokens } from 'marked'

/** Text, lists, tables, code and links. No element of the list loads anything. */
export const TAGS: ReadonlySet<string> = new Set(
  `a b blockquote br code del details em h1 h2 h3 h4 h5 h6 hr i kbd li mark ol p pre s strong sub
  summary sup table tbody td th thead tr u ul`.split(/\s+/),
)

/** False for a tag that is shown as text, as in `List<String>` or `<your key>`. */
function isTag(source: string): boolean {
  const name = /^<\/?([a-z][a-z\d]*)(?=[\s/>])/i.exec(source)?.[1]
  return name !== undefined && TAGS.has(name.toLowerCase())
}

const CJK_PUNCTUATION = String.raw`\u3000-\u303f\uff00-\uffef\u2018\u2019\u201c\u201d\u2026`
const CJK = new RegExp(
  String.raw`[${CJK_PUNCTUATION}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]`,
  'u',
)
const BEFORE_CJK_PUNCTUATION = new RegExp(String.raw`^\S+?(?=[${CJK_PUNCTUATION}])`)

const STRONG = /^\*\*(?![\s*])((?:[^*]|\*(?!\*))*?[^\s*])\*\*(?!\*)/

/**
 * CommonMark expects a space after bold text that ends with punctuation, which Chinese and Japanese
 * do not write.
 */
function strongInCjk(this: Tokenizer, source: string, masked: string): Tokens.Strong | false {
  const length = STRONG.exec(masked.slice(-source.length))?.[0].length
  if (length === undefined || !CJK.test(source.slice(2, length + 1))) return false
  const text = source.slice(2, length - 2)
  const raw = source.slice(0, length)
  return { type: 'strong', raw, text, tokens: this.lexer.inlineTokens(text) }
}

/** Formulas are shown in their source. Markdown would take away their backslashes and stars. */
const formula: TokenizerAndRendererExtension = {
  name: 'formula',
  level: 'inline',
  start: (source) => source.search(/\\[([]|\$/),
  tokenizer(source) {
    const [raw] =
      /^(?:\\\(.+?\\\)|\\\[[^]+?\\\]|\$\$[^$]+\$\$|\$(?=\S)(?=[^$\n]*[\\^_{=])[^$\n]*[^$\s]\$(?!\d))/.exec(
        source,
      ) ?? []
    return raw === undefined ? undefined : { type: 'codespan', raw, text: raw }
  },
}

const formulaBlock: TokenizerAndRendererExtension = {
  name: 'formulaBlock',
  level: 'block',
  start: (source) => source.search(/\n {0,3}(?:\\\[|\$\$)/),
  tokenizer(source) {
    const [raw] = /^ {0,3}(?:\\\[[^]+?\\\]|\$\$[^]+?\$\$) *(?:\n|$)/.exec(source) ?? []
    return raw === undefined ? undefined : { type: 'code', raw, text: raw.trim() }
  },
}

const markdown = new Marked({
  gfm: true,
  // Models end lines of addresses, poems and short lists with a single newline.
  breaks: true,
  extensions: [formula, formulaBlock],
  tokenizer: {
    html: () => undefined,
    tag: (source) => (isTag(source) ? false : undefined),
    // A single tilde stands for "about" and for ranges.
    del: (source) => (source.startsWith('~~') ? false : undefined),
    emStrong: strongInCjk,
    url(this: Tokenizer, source) {
      // Chinese text follows an address without a space.
      const address = BEFORE_CJK_PUNCTUATION.exec(source)?.[0] ?? source
      return Tokenizer.prototype.url.call(this, address)
    },
  },
  renderer: {
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    // An image would tell another server about the reader, and could call this one.
    image({ href, text }) {
      return this.link({ type: 'link', raw: '', href, text, tokens: [textToken(text || href)] })
    },
  },
})

const textToken = (text: string): Tokens.Text => ({ type: 'text', raw: text, text, escaped: false })

/** HTML of the Markdown of a model, which must be sanitized. */
export const answerHtml = (source: string) => markdown.parse(source, { async: false })

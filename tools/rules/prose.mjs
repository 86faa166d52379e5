const WIDTH_MAX = 100
/** What stands before a sentence: the mark of a block (list, table, heading), or a sentence. */
const START = String.raw`(?<=(?:^|\n[ \t]*\n)\s*|\n\s*(?:[-*+>]|\d+\.|#+)\s+|\|\s*|[.!?…]["'”)*_]*\s+)["'“(*_]*`
const VERB = 'is|are|was|were|has|had|does|did|says|tells|asks|sends|gives|came'
const CLAUSE = String.raw`(?:what|whatever|who|which|it|they|he|she|we|you|the [\w-]+ (?:${VERB}))`

/** Sentence openings and phrases to avoid, and what to write instead. */
const AVOIDED = [
  [`${START}Of`, 'name the thing first'],
  [`${START}Whose`, 'name the owner first: "the channel whose …"'],
  [`${START}Those`, 'repeat the noun'],
  [`${START}So many`, 'say what is counted'],
  [`${START}That of`, 'repeat the noun'],
  [`${START}As ${CLAUSE}`, 'begin with the subject, and end with the comparison'],
  [`${START}Who`, 'name the person or program: "a client that …"'],
  [`${START}Nobody`, 'say what does not happen: "no channel was tried"'],
  [`${START}Where there (?:is|are) none`, 'write "if there is no …"'],
  [
    String.raw`\b(?:is|are|was|were|been) told(?! apart)`,
    'write "learns", "receives" or "reports"',
  ],
  [String.raw`\b(?:go|goes|went|gone|going) on`, 'write "continues" or "runs"'],
  [String.raw`\bas (?:it|they) came`, 'write "unchanged"'],
  [String.raw`\bwhat is none`, 'name what the thing is'],
  [String.raw`\bbe it nothing`, 'write "possibly nothing"'],
  [String.raw`\bin words`, 'write "with a clear error"'],
  [String.raw`\bunseen`, 'write "hidden"'],
  [String.raw`\banew`, 'write "again" or "new"'],
  [String.raw`\bbeside`, 'write "next to", "in addition to" or "during"'],
  [
    String.raw`(?<![/-])\b[Ss]ign(?:s|ed|ing)?[ -](?:in|ins|out)(?![\w-]*\.\w)`,
    'write "log in", "log out" or "login"',
  ],
].map(([words, instead]) => ({
  pattern: new RegExp(String.raw`${words.replaceAll(' ', String.raw`\s+`)}\b`, 'g'),
  instead,
}))

const CODE_SPAN = /`[^`]*`/g
const MARKS = {
  comment: /\/\*+|\*+\/|(?<=^\s*)(?:\/\/+|\*|#)(?=\s|$)/gm,
  // Titles of tests are quoted as they are; links need no language.
  page: /`[^`\n]+\.(?:test|e2e)\.\w+`: \*[^*\n]+\*|\]\([^)\s]*\)/g,
}
/** A lone address, and a directive that must stand on the line above its cause. */
const UNBREAKABLE = /^\W*(?:\d+\. )?\S*https?:\/\/\S+$|^\s*\/\/ oxlint-disable/
const TABLE_ROW = /^\s*\|/

/** Violations in a text for readers, each with its index and what to write instead. */
export function findAvoided(text) {
  return AVOIDED.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map((match) => ({
      index: match.index,
      message: `"${match[0].replace(/^["'“(*_]+/, '').replaceAll(/\s+/g, ' ')}": ${instead}`,
    })),
  )
}

/** Violations in a comment with its marks, or in a Markdown page without its code blocks. */
export function findInProse(source, kind) {
  const readable = source
    .replaceAll(MARKS[kind], (mark) => mark.replaceAll(/\S/g, ' '))
    .replaceAll(CODE_SPAN, (span) => span.replaceAll(/\S/g, 'x'))
  return findAvoided(readable)
}

/** Message about a line that is too wide and could be broken; else undefined. */
export function widthProblem(line) {
  const width = [...line].length
  if (width <= WIDTH_MAX || UNBREAKABLE.test(line) || TABLE_ROW.test(line)) return undefined
  return `${width} columns, at most ${WIDTH_MAX}: break the line`
}

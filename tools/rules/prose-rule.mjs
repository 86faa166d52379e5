import { findAvoided, findInProse, widthProblem } from './prose.mjs'

const TEST = /\.(?:test|e2e)\.\w+$/

/** Comments, and English texts for users: every text below a property `en`. */
export const prose = {
  create(context) {
    let englishDepth = 0
    const checkText = (node, text) => {
      if (englishDepth === 0 || typeof text !== 'string') return
      for (const { message } of findAvoided(text)) context.report({ node, message })
    }
    const isEnglish = (node) => node.key.name === 'en' && !TEST.test(context.filename)
    return {
      Program: () => checkComments(context),
      Property(node) {
        if (isEnglish(node)) englishDepth += 1
      },
      'Property:exit'(node) {
        if (isEnglish(node)) englishDepth -= 1
      },
      Literal: (node) => checkText(node, node.value),
      TemplateElement: (node) => checkText(node, node.value.cooked),
    }
  },
}

function checkComments(context) {
  const source = context.sourceCode
  const reportAt = (index, message) => {
    const start = source.getLocFromIndex(index)
    context.report({ loc: { start, end: start }, message })
  }
  const lines = source.text.split('\n')
  const wide = new Set()
  for (const [from, to] of commentRanges(source)) {
    for (const { index, message } of findInProse(source.text.slice(from, to), 'comment'))
      reportAt(from + index, message)
    const last = source.getLocFromIndex(to).line
    for (let line = source.getLocFromIndex(from).line; line <= last; line++) wide.add(line)
  }
  for (const line of wide) {
    const problem = widthProblem(lines[line - 1])
    if (problem !== undefined) reportAt(source.getIndexFromLoc({ line, column: 0 }), problem)
  }
}

/** Comments of `//` that follow each other line by line are one text. */
function commentRanges(source) {
  const ranges = []
  let previous
  for (const comment of source.getAllComments()) {
    const [from, to] = comment.range
    const continues =
      previous?.type === 'Line' &&
      comment.type === 'Line' &&
      /^\n[ \t]*$/.test(source.text.slice(previous.range[1], from))
    if (continues) ranges.at(-1)[1] = to
    else ranges.push([from, to])
    previous = comment
  }
  return ranges
}

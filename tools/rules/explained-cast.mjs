const REASON = /safe because/i
const LINES_ABOVE = 3

/** `as` overrules the compiler, so a comment just above must say why the cast is safe. */
export const explainedCast = {
  create(context) {
    const lines = context.sourceCode.text.split('\n')
    return {
      TSAsExpression(node) {
        if (node.typeAnnotation.typeName?.name === 'const') return
        const line = context.sourceCode.getLocFromIndex(node.range[0]).line
        const around = lines.slice(Math.max(0, line - 1 - LINES_ABOVE), line).join('\n')
        if (REASON.test(around)) return
        context.report({ node, message: 'a cast needs a comment: "Safe because …"' })
      },
    }
  },
}

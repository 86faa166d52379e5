import { findLayerViolation } from './layers.mjs'
import { pathFromRoot } from './path-from-root.mjs'

/** Checks imports against tools/rules/layers.mjs. */
export const layers = {
  create(context) {
    const file = pathFromRoot(context)
    const check = (node) => {
      if (typeof node.source?.value !== 'string') return
      const violation = findLayerViolation(file, node.source.value)
      if (violation) context.report({ node: node.source, message: violation })
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    }
  },
}

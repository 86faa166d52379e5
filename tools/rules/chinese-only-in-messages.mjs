import { pathFromRoot } from './path-from-root.mjs'

const CHINESE = /\p{Script=Han}/u
const MAY_HOLD_CHINESE = /(?:^|\/)messages(?:\.ts$|\/)|\.messages\.ts$|\.test\.tsx?$/

/** Texts for users stand in messages files, in both languages; comments are exempt. */
export const chineseOnlyInMessages = {
  create(context) {
    if (MAY_HOLD_CHINESE.test(pathFromRoot(context))) return {}
    const check = (node, text) => {
      if (typeof text !== 'string' || !CHINESE.test(text)) return
      context.report({ node, message: 'Chinese text belongs in a messages file' })
    }
    return {
      Literal: (node) => check(node, node.value),
      JSXText: (node) => check(node, node.value),
      TemplateElement: (node) => check(node, node.value.raw),
    }
  },
}

import { assembleProduct } from './product.mjs'

/* `node tools/release/assemble.mjs FOLDER` writes the built product to a folder. */

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('use: node tools/release/assemble.mjs FOLDER')
  process.exitCode = 1
} else assembleProduct(folder)

// Runs the official clients against providers of every wire format and prints a table.
import { install } from './launcher/install.mjs'
import { exitCodeOf, launch, startNode } from './launcher/processes.mjs'

await launch(async () => {
  const node = install()
  const arguments_ = process.argv.slice(2)
  return exitCodeOf(startNode(node, ['server/testing/clients/main.ts', ...arguments_]))
})

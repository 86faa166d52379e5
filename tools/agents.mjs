// Runs coding agents against doubles of the vendors, through the built product, and prints a table.
import { installAgents } from './launcher/install-agents.mjs'
import { install } from './launcher/install.mjs'
import { exitCodeOf, isStopping, launch, pathInTools, startNode } from './launcher/processes.mjs'

await launch(async () => {
  const node = install()
  const arguments_ = process.argv.slice(2)
  if (!arguments_.includes('--help')) installAgents()
  const built = await exitCodeOf(startNode(node, [pathInTools('build.mjs')]))
  if (built !== 0 || isStopping()) return built
  return exitCodeOf(startNode(node, ['server/testing/agents/main.ts', ...arguments_]))
})

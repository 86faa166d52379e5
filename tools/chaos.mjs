import { install } from './launcher/install.mjs'
import { prepareMachine } from './launcher/prepare-machine.mjs'
import { exitCodeOf, isStopping, launch, pathInTools, startNode } from './launcher/processes.mjs'

await launch(async () => {
  const node = install()
  const arguments_ = process.argv.slice(2)
  if (!arguments_.includes('--help')) prepareMachine()
  const built = await exitCodeOf(startNode(node, [pathInTools('build.mjs')]))
  if (built !== 0 || isStopping()) return built
  return exitCodeOf(startNode(node, ['server/testing/chaos/main.ts', ...arguments_]))
})

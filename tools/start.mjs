import { install } from './launcher/install.mjs'
import { MALLOC_VARIABLES, SERVER_FLAGS } from './launcher/node-flags.mjs'
import {
  becomeNode,
  exitCodeOf,
  isStopping,
  launch,
  pathInTools,
  startNode,
} from './launcher/processes.mjs'

await launch(async () => {
  const node = install()
  const built = await exitCodeOf(startNode(node, [pathInTools('build.mjs')]))
  if (built !== 0 || isStopping()) return built
  const command = [...SERVER_FLAGS, 'server/dist/main.js', ...process.argv.slice(2)]
  return becomeNode(node, command, MALLOC_VARIABLES)
})

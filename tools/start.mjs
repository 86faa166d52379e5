import { install } from './launcher/install.mjs'
import { SERVER_FLAGS } from './launcher/node-flags.mjs'
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
  return becomeNode(node, [...SERVER_FLAGS, 'server/dist/main.js', ...process.argv.slice(2)])
})

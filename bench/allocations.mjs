// Measures how many bytes of V8's heap a request and a stream event allocate: see README.md.
import { join } from 'node:path'
import { SERVER_FLAGS } from '../tools/launcher/node-flags.mjs'
import { offerLoad, openGateway } from './in-turn.mjs'
import { connectInspector } from './inspector.mjs'
import { freePort, start, stop, untilAnswering } from './processes.mjs'
import { createNames } from './source-names.mjs'

const REQUEST_BYTES_MAX = 30_000
const EVENT_BYTES_MAX = 300
const SITES = 20
/** Mean bytes between two samples of the profile. */
const SAMPLING_INTERVAL = 16_384
const KILOBYTE = 1000

const JSON_LOAD = { body: 'json', connections: 32 }
const SHORT_STREAM = { body: 'stream-50-fast', connections: 32, events: 52 }
const LONG_STREAM = { body: 'stream-500-fast', connections: 32, events: 502 }
const EVENTS_BETWEEN = 450

const print = (text) => process.stdout.write(`${text}\n`)

/** Bytes that the main thread allocated during a load, per answer; V8 counts all of them. */
async function measureBytes(world, load, seconds) {
  const before = await allocatedBytes(world.inspector)
  const { good_ever, bad } = await offerLoad(world.bench, world, load, { warmUp: 0, seconds })
  if (good_ever === 0 || bad > 0) throw new Error(`${load.body}: ${bad} bad answers`)
  return ((await allocatedBytes(world.inspector)) - before) / good_ever
}

async function allocatedBytes({ send }) {
  const expression = `process.getBuiltinModule('node:v8').getHeapStatistics().total_allocated_bytes`
  const { result } = await send('Runtime.evaluate', { expression })
  return result.value
}

/**
 * Bytes per answer by the function that allocated them and by the folder of our code that called
 * it, the largest first.
 */
async function profileSites(world, load, seconds) {
  const { send } = world.inspector
  await send('HeapProfiler.startSampling', {
    samplingInterval: SAMPLING_INTERVAL,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
  const { good_ever } = await offerLoad(world.bench, world, load, { warmUp: 0, seconds })
  const { profile } = await send('HeapProfiler.stopSampling')
  const [sites, folders] = [new Map(), new Map()]
  const count = (sums, name, bytes) => sums.set(name, (sums.get(name) ?? 0) + bytes / good_ever)
  const add = ({ selfSize, callFrame, children }, caller, above) => {
    const own = world.nameOf(callFrame)
    // A builtin says nothing without its caller.
    const site = callFrame.url === '' ? `${own} in ${caller}` : own
    const folder = folderIn(own) ?? above
    count(sites, site, selfSize)
    count(folders, folder, selfSize)
    for (const child of children) add(child, site, folder)
  }
  add(profile.head, 'V8', 'Node.js and V8 alone')
  const sorted = (sums) => [...sums].toSorted(([, a], [, b]) => b - a)
  return { sites: sorted(sites), folders: sorted(folders) }
}

/** The folder of a function of ours, from its name and place; null for others. */
const folderIn = (name) => / ((?:server|relay|contract)\/src\S*)\/[^/]+$/.exec(name)?.[1] ?? null

async function openWorld(bench) {
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const inspectorPort = await freePort()
  const flags = [...SERVER_FLAGS, `--inspect=127.0.0.1:${inspectorPort}`]
  const settings = { name: 'allocations', mockPort, flags, cpu: bench.cpus?.gateway }
  const gateway = await openGateway(bench, settings)
  const inspector = await connectInspector(inspectorPort)
  const close = async () => {
    inspector.close()
    await stop(gateway.gateway)
    await stop(mock)
  }
  return { ...gateway, bench, inspector, nameOf: createNames(bench.root), close }
}

function printSites(load, { sites, folders }) {
  const table = (title, rows) => {
    print(`\n| ${title}, ${load} | bytes |\n| --- | ---: |`)
    for (const [name, bytes] of rows.slice(0, SITES)) print(`| ${name} | ${bytes.toFixed(0)} |`)
  }
  table('Folder', folders)
  table('Function', sites)
}

export async function measureAllocations(bench, { isQuick }) {
  const seconds = isQuick ? 3 : 8
  const world = await openWorld(bench)
  for (const load of [JSON_LOAD, LONG_STREAM, JSON_LOAD, SHORT_STREAM]) {
    await measureBytes(world, load, seconds)
  }
  const perStream = await measureBytes(world, SHORT_STREAM, seconds)
  const perLongStream = await measureBytes(world, LONG_STREAM, seconds)
  const streamSites = await profileSites(world, LONG_STREAM, seconds)
  await measureBytes(world, JSON_LOAD, seconds)
  const perRequest = await measureBytes(world, JSON_LOAD, seconds)
  const sites = await profileSites(world, JSON_LOAD, seconds)
  await world.close()
  const perEvent = (perLongStream - perStream) / EVENTS_BETWEEN
  print('\n| What | kB allocated | at most |\n| --- | ---: | ---: |')
  const row = (what, bytes, most) =>
    print(`| ${what} | ${(bytes / KILOBYTE).toFixed(2)} | ${most ? most / KILOBYTE : '–'} |`)
  row('JSON 2 kB', perRequest, REQUEST_BYTES_MAX)
  row('stream of 50', perStream)
  row('stream event', perEvent, EVENT_BYTES_MAX)
  printSites('JSON 2 kB', sites)
  printSites('stream of 500', streamSites)
  const faults = []
  if (!(perRequest <= REQUEST_BYTES_MAX)) faults.push(`a request allocates ${perRequest} bytes`)
  if (!(perEvent <= EVENT_BYTES_MAX)) faults.push(`an event allocates ${perEvent} bytes`)
  return faults
}

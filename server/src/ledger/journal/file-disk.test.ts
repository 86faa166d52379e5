import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { settled } from '../../../testing/ledger/journal-records.ts'
import { systemClock } from '../../clock.ts'
import { fileDisk } from './file-disk.ts'
import type { Journal } from './journal.ts'
import { listEpochs, readJournal } from './reader.ts'
import { openJournal } from './writer.ts'

const EPOCH = '5c1e9a3e-2f0b-4f6e-9c57-0e1a7c0f2b11'
const WRITING_PROCESS = path.join(import.meta.dirname, '../../../testing/ledger/writing-process.ts')
const RECORDS_BEFORE_KILL = 50

let dataDir: string
let folder: string

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-journal-'))
  folder = path.join(dataDir, 'journal', EPOCH)
})

afterEach(() => rmSync(dataDir, { recursive: true }))

const open = (syncAlways: boolean): Journal =>
  openJournal({
    disk: fileDisk,
    folder,
    epoch: EPOCH,
    clock: systemClock,
    syncAlways,
    log: pino({ level: 'silent' }),
  })

const read = (position = 0) =>
  readJournal({ disk: fileDisk, folder, epoch: EPOCH, position, clock: systemClock })

test.each([true, false])(
  'a journal is written, read and removed (synced each time: %s)',
  async (syncAlways) => {
    const journal = open(syncAlways)
    for (let number = 1; number <= 20; number++) {
      journal.append(settled(`request-${number}`, '主要'))
      if (number % 5 === 0) await journal.written()
    }
    await journal.close()
    const { records, faults } = await read()
    expect(records[6]).toEqual({ number: 7, record: settled('request-7', '主要') })
    expect({ last: records.at(-1)?.number, faults }).toEqual({ last: 20, faults: [] })
    expect(listEpochs(fileDisk, path.dirname(folder))).toEqual([EPOCH])
    journal.markApplied(20)
    journal.remove()
    expect(listEpochs(fileDisk, path.dirname(folder))).toEqual([])
  },
)

test('no other user may read a journal', async () => {
  const journal = open(true)
  const modes = [folder, path.join(folder, '1.log')].map((name) => statSync(name).mode & 0o777)
  await journal.close()
  expect(modes).toEqual([0o700, 0o600])
})

test('a folder deleted under the process is recreated, with everything that is not applied', async () => {
  const journal = open(true)
  journal.append(settled('applied'))
  journal.append(settled('waits'))
  await journal.written()
  journal.markApplied(1)
  rmSync(path.dirname(folder), { recursive: true })
  await waitUntil(async () => existsSync(path.join(folder, '2.log')) && journal.isSound())
  expect((await read(1)).records).toEqual([{ number: 2, record: settled('waits') }])
  await journal.close()
})

test('a file closed during a sync does not affect others', async () => {
  mkdirSync(folder, { recursive: true })
  const file = fileDisk.create(path.join(folder, '1.log'))
  file.write(Buffer.from('x'))
  const syncing = file.sync()
  file.close()
  file.close()
  await syncing
  await expect(file.sync()).rejects.toThrow(/closed/)
  expect(() => file.write(Buffer.from('y'))).toThrow(/EBADF/)
})

test('a file is created once, and a missing one counts as renamed or removed', () => {
  mkdirSync(folder, { recursive: true })
  const name = path.join(folder, '1.log')
  fileDisk.create(name).close()
  expect(() => fileDisk.create(name)).toThrow(/EEXIST/)
  fileDisk.rename(name, `${name}.done`)
  fileDisk.rename(name, `${name}.done`)
  expect(fileDisk.listFiles(folder)).toEqual(['1.log.done'])
  fileDisk.removeFile(`${name}.done`)
  fileDisk.removeFile(`${name}.done`)
  expect(fileDisk.listFiles(folder)).toEqual([])
  expect(fileDisk.listFiles(path.join(folder, 'nowhere'))).toEqual([])
})

test('a process killed while it writes leaves all that it reported as written, and its epoch is free', async () => {
  const child = spawn(process.execPath, [WRITING_PROCESS, folder, EPOCH], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const written = () => Number(output.split('\n').at(-2) ?? 0)
  await waitUntil(async () => written() >= RECORDS_BEFORE_KILL)
  expect(fileDisk.lock(folder)).toBeNull()
  child.kill('SIGKILL')
  await once(child, 'close')
  const lock = fileDisk.lock(folder)
  expect(lock).not.toBeNull()
  const { records, faults } = await read()
  lock?.release()
  expect(records.at(-1)?.number).toBeGreaterThanOrEqual(written())
  expect(records.map(({ number }) => number)).toEqual(records.map((_, index) => index + 1))
  expect(faults).toEqual([])
})

// guards: C9.1
test('an epoch without a process is locked once, and free again when it is released', () => {
  mkdirSync(folder, { recursive: true })
  const lock = fileDisk.lock(folder)
  expect(lock).not.toBeNull()
  expect(fileDisk.lock(folder)).toBeNull()
  lock?.release()
  fileDisk.lock(folder)?.release()
  expect(() => fileDisk.lock(path.join(folder, 'nowhere'))).toThrow(/open/)
})

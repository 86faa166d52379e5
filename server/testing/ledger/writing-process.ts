import { systemClock } from '../../src/clock.ts'
import { fileDisk } from '../../src/ledger/journal/file-disk.ts'
import { openJournal } from '../../src/ledger/journal/writer.ts'
import { settled } from './journal-records.ts'

/** Writes a journal and reports each written record on stdout, until it is killed. */
const [folder = '', epoch = ''] = process.argv.slice(2)
const log = { error: () => {}, warn: () => {} }
const journal = openJournal({
  disk: fileDisk,
  folder,
  epoch,
  clock: systemClock,
  syncAlways: false,
  log,
})
for (;;) {
  const number = journal.append(settled('request', '主要'.repeat(100)))
  await journal.written()
  process.stdout.write(`${number}\n`)
}

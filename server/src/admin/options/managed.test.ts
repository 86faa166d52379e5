import { expect, test } from 'vitest'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { writeManaged } from '../../store/managed-objects.ts'

// The tests of the configuration file show what a locked file refuses.
describePlanes('the list of managed objects on %s', ['admin'], ({ plane, kind, admin }) => {
  test('is empty before the first file, and names what the file manages', async () => {
    const read = async () => (await plane.call('GET', '/api/option/managed', { as: admin })).data
    const lists = { options: [], groups: [], prices: [], channels: [] }
    expect(await read()).toEqual({ file: '', locked: false, applied_at: 0, ...lists })
    const objects = [
      { kind: 'option', name: 'RetryTimes', channel_id: 0 },
      { kind: 'channel', name: 'first', channel_id: 7 },
    ] as const
    const file = { file: 'tollgate.yaml', isLocked: true, appliedAt: 5, objects }
    await plane.database.change((tx) => writeManaged(tx, kind, file))
    const managed = { ...lists, options: ['RetryTimes'], channels: [7] }
    const shown = { file: 'tollgate.yaml', locked: true, applied_at: 5, ...managed }
    expect(await read()).toEqual(shown)
  })
})

/**
 * The rules of the ledger: a group for each promise, then for each case. A comment such as
 * `// guards: L1.1` on the line above a test says which rules it guards. An id stays with its rule.
 */
export const RULE_GROUPS = [
  {
    title: 'L1 Once',
    rules: [
      ['L1.1', "A batch is applied only from the epoch's current position, hence once"],
      [
        'L1.2',
        'The last bytes of an answer go out after its end is written: to the disk or to the database',
      ],
      ['L1.3', 'An answer whose charge could not be written is not completed'],
      ['L1.4', 'A stream whose charge could not be written is not completed'],
      [
        'L1.5',
        'The end of a response in a Realtime session is not reported if its charge could not be written',
      ],
      ['L1.6', 'A request that never ended is voided at the next start'],
      [
        'L1.7',
        'A request that never ended is voided also if a process with a copy of the folder has closed the epoch',
      ],
      [
        'L1.8',
        "A request that continues in another epoch is in that epoch's journal before the old epoch drops it",
      ],
    ],
  },
  {
    title: 'L2 Never below zero',
    rules: [
      ['L2.1', 'A charge is at most the unleased balance plus the lease that it takes'],
      [
        'L2.2',
        'After each batch, the leases that it touched equal the promises made from them, or an error is logged',
      ],
      ['L2.3', 'Ends that are not applied yet fit within the leases of their epoch'],
      ['L2.4', 'What an epoch leases, no other epoch can lease'],
    ],
  },
  {
    title: 'L3 Adds up',
    rules: [
      ['L3.1', 'Each charge is added to a row that is never deleted'],
      ['L3.2', 'What requests cost at providers is in the log and in every rollup'],
    ],
  },
  {
    title: 'L4 Explained',
    rules: [
      ['L4.1', 'A charge equals the cost of its basis, or is not booked'],
      ['L4.2', 'The audit recomputes each charge'],
    ],
  },
  {
    title: 'L5 Bounded',
    rules: [
      ['L5.1', 'Invalid amounts are refused before anything is stored'],
      ['L5.2', 'The database refuses invalid amounts as well'],
    ],
  },
  {
    title: 'C1 A node that was cut off still spends its leases',
    rules: [
      ['C1.1', 'A closed epoch applies nothing more, so its leases are not spent twice'],
      ['C1.2', 'A released lease counts as zero; late charges come from the available balance'],
      ['C1.3', 'An epoch is closed from outside only while its sequence number stands still'],
      ['C1.4', 'Time during which a node slept says nothing about other nodes'],
      [
        'C1.5',
        'No hold is taken five minutes after the last answer of the database, by either clock',
      ],
      ['C1.6', 'A previous epoch whose journal cannot be closed blocks no batch'],
      ['C1.7', 'A closing node starts no new epoch'],
    ],
  },
  {
    title: 'C2 A process starts again or is restored from a snapshot',
    rules: [
      ['C2.1', 'Each start is an epoch of its own, with records numbered from 1'],
      ['C2.2', 'A process restored from a snapshot of its machine continues as a new epoch'],
      [
        'C2.3',
        'Ends whose numbers the database already had are renumbered and applied after those',
      ],
    ],
  },
  {
    title: 'C3 A request costs more than its hold',
    rules: [
      ['C3.1', 'A cost above its hold takes only the free part of the lease'],
      [
        'C3.2',
        'Whatever a record claims to have taken from a lease, it gets at most what the lease has',
      ],
    ],
  },
  {
    title: 'C4 A token is lowered while its request runs',
    rules: [['C4.1', 'The owner is charged first; a token never lowers that charge']],
  },
  {
    title: 'C5 An acknowledgement of the database is lost',
    rules: [
      ['C5.1', 'After a lost acknowledgement, the state of the epoch is read again'],
      ['C5.2', 'Reading the state waits for a batch in progress'],
    ],
  },
  {
    title: 'C6 The database refuses a record',
    rules: [
      ['C6.1', 'A record that fails alone is quarantined, and the others are applied'],
      [
        'C6.2',
        'A batch is kept for later if the database refuses several records of a live epoch, all for the same reason',
      ],
      ['C6.3', "Corrupt data and internal errors of PostgreSQL are no record's fault"],
      ['C6.4', 'Text is made storable before it is written'],
    ],
  },
  {
    title: 'C7 The database loses what it had committed',
    rules: [
      ['C7.1', 'Records that a database has lost are read back from the journal'],
      [
        'C7.2',
        'Lost records are read back at once, also for an epoch that the database does not know',
      ],
      ['C7.3', 'A lost batch is noticed even if it had no records: its releases are repeated'],
      ['C7.4', 'A lease that a database has lost is held by no request'],
      ['C7.5', 'Journal files are kept for ten minutes after they were applied'],
      [
        'C7.6',
        'The journal of a closed epoch is removed ten minutes after it was found closed, whatever a clock was set to',
      ],
      ['C7.7', 'SQLite syncs the disk on commit'],
    ],
  },
  {
    title: 'C8 The disk fails or a journal is damaged',
    rules: [
      ['C8.1', 'Nothing is appended after a short write'],
      ['C8.2', 'After a failed sync, everything not known to be safe is written again'],
      ['C8.3', 'A line is valid only with the checksum over its epoch, number and text'],
      ['C8.4', 'A corrupt line before valid lines is reported, and the rest is read'],
      ['C8.5', 'A whole line of an unknown kind is reported, even as the last line'],
      ['C8.6', 'A deleted journal file is noticed'],
    ],
  },
  {
    title: 'C9 Another process voids a request that still runs',
    rules: [
      ['C9.1', 'The epoch of a living process is locked'],
      ['C9.2', 'A locked epoch is not closed by another process'],
      ['C9.3', 'A late end replaces a void'],
      [
        'C9.4',
        'A late end replaces a void also in another month, whose log partition does not refuse a second row',
      ],
      [
        'C9.5',
        'A void stands in the month in which its request began or ended, whatever the clock of the voiding machine says',
      ],
      ['C9.6', 'A void is found also if the clock of its owner was set back meanwhile'],
    ],
  },
  {
    title: 'C10 The channels of a request have different prices',
    rules: [
      ['C10.1', 'A hold covers the most expensive channel that may be tried'],
      ['C10.2', 'A channel that the balance cannot pay is not tried'],
      ['C10.3', 'Each part of a continued answer has its own price'],
      ['C10.4', 'Prices are those at the time of the hold'],
    ],
  },
  {
    title: 'C11 An answer costs more than was held',
    rules: [
      ['C11.1', 'Output that cannot be watched is limited to the hold'],
      ['C11.2', 'A stream is cut off where its balance ends'],
      ['C11.3', 'A prompt is held as a token per byte'],
      ['C11.4', 'Images, audio and other tasks are held at the maximum of any of their channels'],
    ],
  },
  {
    title: 'C12 Rows of the log are deleted',
    rules: [
      ['C12.1', 'Rollups are kept independently of the log'],
      ['C12.2', "Each change of a token's quota is a credit too"],
    ],
  },
  {
    title: 'C13 An edit overwrites what was spent meanwhile',
    rules: [['C13.1', 'An edit books the difference to the value that its form showed']],
  },
  {
    title: 'C14 Idle nodes keep what another node needs',
    rules: [
      ['C14.1', 'A node short of quota asks the others to release leases'],
      ['C14.2', 'A node that was asked to release takes only exact leases for ten seconds'],
      ['C14.3', 'From a small balance a node leases exactly what it needs'],
    ],
  },
  {
    title: 'C15 A request is refused or cut off although there is money',
    rules: [
      ['C15.1', 'A balance in use is distinguished from a balance that is too low'],
      ['C15.2', 'A caller who may retry gets 429'],
      ['C15.3', 'While the database is away, a new request gets 503'],
      ['C15.4', 'A stream holds its headroom, not its worst case'],
      [
        'C15.5',
        'A running request raises its hold within the lease, whatever the state of the disk',
      ],
      ['C15.6', 'An unavailable database is not reported as a lack of money'],
      ['C15.7', 'A long read does not keep the ledger from the database'],
      [
        'C15.8',
        'A running request is not cut off for lack of money when its token or owner was closed meanwhile',
      ],
      ['C15.9', 'A new request gets nothing of what was leased for a closed account'],
      ['C15.10', 'A new lease is requested for a closed account, as it may be open again'],
    ],
  },
  {
    title: 'C16 An edit meets leased quota',
    rules: [
      ['C16.1', 'A token is exhausted when it has nothing left, not when everything is leased'],
      ['C16.2', 'An edit of a token revokes its leases, and is never refused'],
      ['C16.3', 'No edit takes leased quota from a user'],
    ],
  },
  {
    title: 'C17 A budget changes while its requests run',
    rules: [
      ['C17.1', 'A charge goes to the budget period of its hold'],
      ['C17.2', 'A budget of another kind of period starts with what was spent in that period'],
      [
        'C17.3',
        'An edit of the kind of period leaves nothing to lease for the old periods, which would grant the limit twice',
      ],
      ['C17.4', 'An edit uses the same clock as batches'],
      ['C17.5', 'A budget is created for the current period only, by the clock of the database'],
    ],
  },
  {
    title: 'C18 Several processes write to SQLite',
    rules: [
      ['C18.1', 'A writer to SQLite takes the write lock first, and waits for it'],
      ['C18.2', 'A writer waits while the database is busy'],
    ],
  },
  {
    title: 'C19 Transactions lock the same accounts',
    rules: [
      ['C19.1', 'Accounts are locked in a fixed order'],
      ['C19.2', 'The victim of a deadlock is retried'],
    ],
  },
  {
    title: 'C20 A reader sees an old balance',
    rules: [['C20.1', 'Before a reader sees balances, all nodes apply their pending ends']],
  },
  {
    title: 'C21 Leases and pending records grow',
    rules: [
      ['C21.1', 'Pending records are bounded'],
      ['C21.2', 'A lease takes at most an eighth of the available balance ahead'],
      [
        'C21.3',
        'From a large balance a lease grows before a request has to wait for it; from a small balance it never does',
      ],
    ],
  },
  {
    title: 'C22 A request runs for hours or costs nothing',
    rules: [
      ['C22.1', 'A hold that outlives every deadline is voided and logged'],
      [
        'C22.2',
        'A session is a request per response, and each response is held before it is requested',
      ],
      [
        'C22.3',
        'What is left from the opening or from a response that never came is used only after caller, limits, prices and amount are checked again',
      ],
      [
        'C22.4',
        'A response is held with as much as its provider may write, which the provider names when the response begins',
      ],
      ['C22.5', 'A response in a session ends where its balance ends'],
      ['C22.6', 'A price of 0 needs no balance and no database'],
    ],
  },
  {
    title: 'C23 Many requests wait for the same account',
    rules: [['C23.1', 'All requests that wait for an account share a lease request']],
  },
  {
    title: 'C24 A token changes before its request is charged',
    rules: [
      ['C24.1', 'A token counts its usage, limited or not'],
      [
        'C24.2',
        'A charge goes to the accounts that its hold was taken from, whatever happened to the token',
      ],
    ],
  },
  {
    title: 'C25 A client disconnects',
    rules: [
      ['C25.1', 'An abandoned request that is read to its end keeps its hold'],
      [
        'C25.2',
        'An abandoned request keeps its place among the concurrent requests, which bounds their number',
      ],
    ],
  },
]

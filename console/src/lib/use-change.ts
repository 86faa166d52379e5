import { useMutation, useQueryClient } from '@tanstack/react-query'

type Key = readonly unknown[]

/** Anything that changes rows of a list; it is read again afterwards, also when a row was gone. */
export function useChange<Input, Result>(listKey: Key, change: (input: Input) => Promise<Result>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: listKey }),
  })
}

type Answered<Row> = { data: Row[] } | undefined

type RowChange<Row, Input> = {
  listKey: Key
  /** What the row will be when it goes well, shown at once. */
  guess: (row: Row, input: Input) => Partial<Row>
  /** Answers what the row is then. */
  change: (row: Row, input: Input) => Promise<Partial<Row>>
}

/** Shows a change of one row before the server knows of it, and puts it back when that refuses. */
export function useRowChange<Row extends { id: number }, Input>(settings: RowChange<Row, Input>) {
  const { listKey, guess, change } = settings
  const client = useQueryClient()
  const show = ({ id }: Row, part: Partial<Row>) =>
    client.setQueriesData<Answered<Row>>({ queryKey: [...listKey, 'list'] }, (answered) =>
      answered === undefined
        ? undefined
        : {
            ...answered,
            data: answered.data.map((row) => (row.id === id ? { ...row, ...part } : row)),
          },
    )
  return useMutation({
    mutationFn: ({ row, input }: { row: Row; input: Input }) => change(row, input),
    onMutate: async ({ row, input }) => {
      await client.cancelQueries({ queryKey: listKey })
      show(row, guess(row, input))
    },
    onSuccess: (answer, { row }) => show(row, answer),
    onError: (_error, { row }) => {
      show(row, row)
      return client.invalidateQueries({ queryKey: listKey })
    },
  })
}

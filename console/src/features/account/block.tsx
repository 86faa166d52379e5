import { Title } from '@mantine/core'
import { type ReactNode, type Ref, useId } from 'react'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './account.module.css'

type Props = {
  title: string
  state?: ReactNode
  hint: string
  action?: ReactNode
  /** Receives focus when the focused element disappears. */
  titleRef?: Ref<HTMLHeadingElement>
  children?: ReactNode
}

export function Block({ title, state, hint, action, titleRef, children }: Props) {
  const id = useId()
  return (
    <section className={classes['block']} aria-labelledby={id}>
      <div className={classes['blockHead']}>
        <div className={classes['blockText']}>
          <div className={classes['blockTitle']}>
            <Title order={3} id={id} ref={titleRef} tabIndex={-1}>
              {title}
            </Title>
            {state}
          </div>
          <p className={classes['hint']}>{hint}</p>
        </div>
        {action !== undefined && <div className={classes['blockAction']}>{action}</div>}
      </div>
      {children}
    </section>
  )
}

/** Placeholder in the shape of blocks; invisible for the first 200 ms. */
export function BlockSkeleton({ count }: { count: number }) {
  const isLate = useDelayed(true)
  return Array.from({ length: count }, (_, index) => (
    <div key={index} className={classes['blockSkeleton']} aria-busy>
      {isLate && (
        <>
          <span className={classes['bar']} data-short />
          <span className={classes['bar']} />
        </>
      )}
    </div>
  ))
}

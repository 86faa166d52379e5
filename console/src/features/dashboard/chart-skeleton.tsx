import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './dashboard.module.css'

export function ChartSkeleton() {
  const isLate = useDelayed(true)
  return <div className={classes['chartSkeleton']} data-shown={isLate || undefined} aria-hidden />
}
